/** How a call has ended, where not with an answer. */
export interface GrpcStatus {
  readonly code: number;
  readonly details: string;
}

/** The codes of gRPC that we answer with. */
export const codes = {
  OK: 0,
  INVALID_ARGUMENT: 3,
  DEADLINE_EXCEEDED: 4,
  NOT_FOUND: 5,
  PERMISSION_DENIED: 7,
  RESOURCE_EXHAUSTED: 8,
  UNIMPLEMENTED: 12,
  INTERNAL: 13,
  UNAUTHENTICATED: 16,
} as const;

export const unreadable: GrpcStatus = {
  code: codes.INVALID_ARGUMENT,
  details: 'The message could not be read',
};
export const tooLong: GrpcStatus = { code: codes.RESOURCE_EXHAUSTED, details: 'The message is too long' };
