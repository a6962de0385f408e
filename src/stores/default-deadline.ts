/** Time for one operation on a store, in milliseconds (engine contract §12). */
export const defaultDeadlineMs = 50;
