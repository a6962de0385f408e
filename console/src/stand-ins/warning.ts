/** A page has no process to warn; what is wrong with a replay's choices shows in its result. */
export const emitWarning = (): void => {};
