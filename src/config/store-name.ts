const redisSchemes = 'rediss?(?:\\+(?:cluster|sentinel))?';
const postgresSchemes = 'postgres(?:ql)?';

/** Of a folder: `lmdb://records` looks like a URL, and would be a folder in the root of the disk. */
const embedded = 'lmdb:(?!//).+';

const redisUrl = new RegExp(`^${redisSchemes}://`);
const postgresUrl = new RegExp(`^${postgresSchemes}://`);
const storeName = new RegExp(
  `^(?:lmdb|memory|${embedded}|(?:${redisSchemes}|${postgresSchemes})://.+)$`,
  's',
);
const embeddedName = new RegExp(`^${embedded}$`, 's');

/** What {@link isStoreName} takes, for people. */
export const storeForms =
  'lmdb, memory, lmdb:FOLDER, redis[s]://…, redis[s]+cluster://…, redis[s]+sentinel://… or postgres://…';

/** Whether a store is Redis: one server, a cluster, or one behind sentinels. */
export const isRedisUrl = (store: string): boolean => redisUrl.test(store);

export const isPostgresUrl = (store: string): boolean => postgresUrl.test(store);

/** Whether a store is embedded, in a folder that the text names. */
export const isEmbeddedName = (store: string): boolean => embeddedName.test(store);

/** Whether the text has the form of a store that a service can be given. */
export const isStoreName = (text: string): boolean => storeName.test(text);
