import type { Duplex } from 'node:stream';
import { AgentSession, type Decide } from './agent-session.ts';

/** How long a connection may take for what says nothing of it. */
export interface ConnectionPatience {
  /** Until HAProxy has said hello. */
  readonly helloMs: number;
  /** From our goodbye to the end of the connection, however much of it the peer has taken. */
  readonly farewellMs: number;
}

/** Streams of one connection that wait at once; HAProxy's own bound is 20 by default. */
const mostInFlight = 1_000;

/**
 * Serves one connection. It reads only while there is room for more decisions and the peer takes the answers: what a
 * peer asks for and does not take would wait in memory.
 */
export function serveAgent(socket: Duplex, decide: Decide, patience: ConnectionPatience): AgentSession {
  let farewell: NodeJS.Timeout | undefined;
  const hasRoom = () => session.inFlight < mostInFlight && !socket.writableNeedDrain;
  const readOn = () => {
    if (hasRoom()) socket.resume();
    else socket.pause();
  };
  const session = new AgentSession(
    {
      send: (bytes) => void socket.write(bytes),
      answered: readOn,
      end: () => {
        socket.end();
        farewell = setTimeout(() => socket.destroy(), patience.farewellMs);
      },
    },
    decide,
  );
  const greeting = setTimeout(() => {
    if (!session.isReady) session.disconnect('timeout');
  }, patience.helloMs);
  socket.on('data', (chunk: Buffer) => {
    session.receive(chunk);
    if (!hasRoom()) socket.pause();
  });
  socket.on('drain', readOn);
  // A peer that goes away is no fault of ours, and the close that follows is all there is to do.
  socket.on('error', () => socket.destroy());
  socket.on('close', () => {
    clearTimeout(greeting);
    clearTimeout(farewell);
  });
  return session;
}
