/** Where the service writes what operators should know. Fields and messages carry no identifier. */
export interface ServiceLog {
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
}

/** Says nothing. */
export const silentLog: ServiceLog = { info: () => {}, warn: () => {}, error: () => {} };
