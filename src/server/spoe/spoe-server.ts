import { once } from 'node:events';
import { createServer, type Server, type Socket } from 'node:net';
import { type ClientAddress, createCallerAddress } from '../../adapters/client-address.ts';
import { Fault } from '../../core/fault.ts';
import type { HeaderOptions, Limiter } from '../../limits/index.ts';
import { serveAgent } from './agent-connection.ts';
import type { AgentSession, Decide } from './agent-session.ts';
import {
  limitMessageName,
  readLimitMessage,
  setVariables,
  type Variables,
  variablesOf,
} from './limit-message.ts';
import { peerCheck } from './peer-check.ts';
import { text } from './typed-data.ts';

/** What the agent stands on. */
export interface SpoeParts {
  readonly host: string;
  /** 0: any that is free. */
  readonly port: number;
  readonly limiter: Pick<Limiter, 'take'>;
  /** Who may connect; the protocol has no tokens. Default: this machine. */
  readonly mayConnect?: ((peer: string | undefined) => boolean) | undefined;
  /** Whose call HAProxy asks about, by `ip` and `xff`. Default: `ip` itself. */
  readonly addressOf?: ClientAddress | undefined;
  /** Which headers are told as variables. Default: `RateLimit` and `RateLimit-Policy`. */
  readonly headers?: (() => HeaderOptions) | undefined;
  /** Connections at once. Default 1024. */
  readonly connections?: number | undefined;
  /** Until HAProxy has said hello. Default 5 s. */
  readonly helloMs?: number | undefined;
  /** How long a peer may keep a connection open after our goodbye. Default 2 s. */
  readonly farewellMs?: number | undefined;
  /** How long streams may wait for their answer after `close`. Default 10 s. */
  readonly drainMs?: number | undefined;
  /** Told of faults of ours. Default: a warning of the process. */
  readonly onFault?: ((error: unknown) => void) | undefined;
}

/** A listener that can be ended. */
export interface SpoeListener {
  readonly port: number;
  /** Says goodbye to those who may not connect any more. */
  recheck(): void;
  /** Answers what has come, says goodbye to every HAProxy and cuts what is left after `drainMs`. */
  close(): Promise<void>;
}

export const defaultSpoeConnections = 1_024;
const defaultHelloMs = 5_000;
const defaultFarewellMs = 2_000;
const defaultDrainMs = 10_000;
const drainLookMs = 10;

/**
 * Serves HAProxy's stream processing offload protocol, version 2.
 *
 * @throws Fault `CONFIG_INVALID` when an option is wrong or the port is taken.
 */
export async function startSpoe(parts: SpoeParts): Promise<SpoeListener> {
  const sessions = new Map<Socket, AgentSession>();
  const { mayConnect = peerCheck([]) } = parts;
  const decide = createDecide(parts);
  const patience = {
    helloMs: parts.helloMs ?? defaultHelloMs,
    farewellMs: parts.farewellMs ?? defaultFarewellMs,
  };
  const server = createServer({ noDelay: true }, (socket) => {
    if (!mayConnect(socket.remoteAddress)) {
      socket.destroy();
      return;
    }
    sessions.set(socket, serveAgent(socket, decide, patience));
    socket.on('close', () => sessions.delete(socket));
  });
  server.maxConnections = parts.connections ?? defaultSpoeConnections;
  const port = await listen(server, parts);
  let closing: Promise<void> | undefined;
  return {
    port,
    recheck: () => {
      for (const [socket, session] of sessions)
        if (!mayConnect(socket.remoteAddress)) session.disconnect('normal');
    },
    close: () => {
      closing ??= drain(server, sessions, parts.drainMs ?? defaultDrainMs);
      return closing;
    },
  };
}

function createDecide(parts: SpoeParts): Decide {
  const { limiter, headers = () => ({}), onFault = warnOfFault } = parts;
  const addressOf = parts.addressOf ?? createCallerAddress({ warn: () => {} });
  return async (messages, mostBytes) => {
    const message = messages.find(({ name }) => name === limitMessageName);
    if (message === undefined) return new Uint8Array(0);
    let variables: Variables;
    try {
      const described = readLimitMessage(message.args, addressOf);
      variables = variablesOf(await limiter.take(described.call), described, headers());
    } catch (error) {
      variables = [['error', text(codeOf(error, onFault))]];
    }
    return setVariables(variables, mostBytes);
  };
}

function codeOf(error: unknown, onFault: (error: unknown) => void): string {
  if (error instanceof Fault && error.code === 'INPUT_INVALID') return error.code;
  onFault(error);
  return 'INTERNAL';
}

async function listen(server: Server, { host, port }: SpoeParts): Promise<number> {
  server.listen(port, host);
  try {
    await once(server, 'listening');
  } catch (cause) {
    throw new Fault('CONFIG_INVALID', `The SPOE agent cannot listen on port ${port}`, { cause });
  }
  const address = server.address();
  return typeof address === 'object' && address !== null ? address.port : port;
}

async function drain(server: Server, sessions: Map<Socket, AgentSession>, drainMs: number): Promise<void> {
  const closed = once(server, 'close');
  server.close();
  const cut = setTimeout(() => {
    for (const socket of sessions.keys()) socket.destroy();
  }, drainMs);
  const leave = setInterval(() => sayGoodbye(sessions), drainLookMs);
  sayGoodbye(sessions);
  await closed;
  clearInterval(leave);
  clearTimeout(cut);
}

function sayGoodbye(sessions: Map<Socket, AgentSession>): void {
  for (const session of sessions.values()) if (session.inFlight === 0) session.disconnect('normal');
}

function warnOfFault(error: unknown): void {
  const code = error instanceof Fault ? error.code : 'INVARIANT_BROKEN';
  process.emitWarning(`The SPOE agent met a fault: ${code}`, {
    type: 'PortcullisWarning',
    code: 'PORTCULLIS_SPOE_FAULT',
  });
}
