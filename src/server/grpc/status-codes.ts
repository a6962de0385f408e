/** The codes of gRPC that we answer with; `DEADLINE_EXCEEDED` is the library's own. */
export const statusCodes = {
  OK: 0,
  INVALID_ARGUMENT: 3,
  NOT_FOUND: 5,
  PERMISSION_DENIED: 7,
  RESOURCE_EXHAUSTED: 8,
  INTERNAL: 13,
  UNAUTHENTICATED: 16,
} as const;

/** Of a message that is none of ours. */
export const unreadable = {
  code: statusCodes.INVALID_ARGUMENT,
  details: 'The message could not be read',
} as const;
