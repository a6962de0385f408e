/** The forms a store is named in on the command line. */
export const storeForms =
  'redis[s]://…, redis[s]+cluster://…, redis[s]+sentinel://…, postgres://…, lmdb:FOLDER';

/** As the service names the store in memory, so that whoever takes a name from its configuration is understood. */
export const IN_MEMORY = 'memory';

/** The forms for a replay, which may also keep its records to itself. */
export const replayForms = `${IN_MEMORY}, ${storeForms}`;
