import { Fault } from '../../core/fault.ts';

/**
 * The fault of a write that failed. lmdb rejects a commit with an error that carries the promise of the reason, which
 * has to be heard or it ends the process.
 */
export async function writeFault(error: unknown): Promise<Fault> {
  const reason = await reasonOf(error);
  const isFull = reason instanceof Error && /no space left|file too large|MDB_MAP_FULL/i.test(reason.message);
  const message = isFull ? 'The disk of the embedded store is full.' : 'The embedded store could not write.';
  return new Fault(isFull ? 'STORE_FULL' : 'STORE_FAILED', message, { cause: reason });
}

async function reasonOf(error: unknown): Promise<unknown> {
  if (!(error instanceof Error) || !('commitError' in error)) return error;
  return Promise.resolve(error.commitError).then(
    () => error,
    (reason: unknown) => reason,
  );
}
