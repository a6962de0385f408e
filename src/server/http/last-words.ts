import type { Socket } from 'node:net';

/** For how long, and over how many bytes, a connection is still read after its last answer. */
const lingerMs = 1_000;
const lingerBytes = 4 * 1024 * 1024;

/**
 * Ends a connection of which no more can be understood with an answer. What is still on its way here is read over for a
 * while: a connection that is closed with bytes unread is reset, and its client may lose the answer. A proxy that asks
 * on behalf of a visitor would take us for silent, and may let the visitor pass.
 */
export function endWithLastWords(socket: Socket, answer: string): void {
  let left = lingerBytes;
  const cut = setTimeout(() => socket.destroy(), lingerMs);
  socket.once('close', () => clearTimeout(cut));
  // The parser has given up, and would say so again of everything that comes.
  socket.removeAllListeners('data');
  socket.on('data', (chunk: Buffer) => {
    left -= chunk.length;
    if (left < 0) socket.destroy();
  });
  socket.once('end', () => socket.destroySoon());
  socket.end(answer);
}
