import { Fault, type FaultCode } from '../../core/fault.ts';

/** What an error reply of the server means to the store. All of them leave a commit unexecuted. */
interface Meaning {
  readonly code: FaultCode;
  readonly message: string;
  /** The command was not executed and may succeed in a moment. */
  readonly isPassing?: boolean;
  /** This connection does not lead to a master any more. */
  readonly isLostMaster?: boolean;
}

const meanings: Readonly<Record<string, Meaning>> = {
  TRYAGAIN: { code: 'STORE_FAILED', message: 'A slot is being moved between nodes.', isPassing: true },
  READONLY: { code: 'STORE_FAILED', message: 'The server is a read-only replica.', isLostMaster: true },
  MASTERDOWN: {
    code: 'STORE_FAILED',
    message: 'The server is a replica without its master.',
    isLostMaster: true,
  },
  LOADING: { code: 'STORE_FAILED', message: 'The server is loading its data.' },
  CLUSTERDOWN: { code: 'STORE_FAILED', message: 'The cluster does not serve the slot.' },
  MISCONF: { code: 'STORE_FAILED', message: 'The server refuses writes because it cannot persist.' },
  NOREPLICAS: { code: 'STORE_FAILED', message: 'The server refuses writes because it has too few replicas.' },
  NOPERM: { code: 'STORE_FAILED', message: 'The user of the connection may not do this.' },
  NOAUTH: { code: 'STORE_FAILED', message: 'The connection is not authenticated.' },
  OOM: { code: 'STORE_FULL', message: 'The server has reached its maxmemory and may drop nothing.' },
  WRONGTYPE: { code: 'RECORD_CORRUPT', message: 'A record has another type than a string.' },
};

/** A library has given up waiting before the store did. */
const late: Meaning = {
  code: 'STORE_TIMEOUT',
  message: 'The client library gave up waiting for the server.',
};
const unreachable: Meaning = { code: 'STORE_FAILED', message: 'The server cannot be reached, or failed.' };

/** What an error of a driver means: one map for every driver. */
export function meaningOf(error: unknown): Meaning {
  if (error instanceof Error && error.name === 'TimeoutError') return late;
  const message = error instanceof Error ? error.message : '';
  const [, code] = inScript.exec(message) ?? first.exec(message) ?? [];
  const said = forbiddenInScript.test(message) ? 'NOPERM' : code;
  return meanings[said ?? ''] ?? unreachable;
}

const first = /^(?:ResponseError: |An error was signalled by the server: )?-?([A-Z]+)\b/;

/** Before Redis 7.0 the error of a command in a script stands behind the place in the script. */
const inScript = /@user_script: ?\d+: .*?-([A-Z]+)\b/;

/** What NOPERM is called when it is a command of a script that the user may not run, or a key that it may not touch. */
const forbiddenInScript = /\bThe user executing the script can't\b/;

/** The fault for an error of a driver. */
export function faultOf(error: unknown): Fault {
  if (error instanceof Fault) return error;
  const { code, message } = meaningOf(error);
  return new Fault(code, message, { cause: error });
}

/** Whether the server does not have a script that was named by its hash. It has not run then. */
export function isScriptMissing(error: unknown): boolean {
  return error instanceof Error && /\bNOSCRIPT\b|NoScriptError/.test(error.message);
}
