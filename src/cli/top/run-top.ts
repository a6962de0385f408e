import { Fault } from '../../core/fault.ts';
import type { CommandIo } from '../streams.ts';
import { eventWords } from './event-words.ts';
import { frameOf } from './frame.ts';
import { LiveView } from './live-view.ts';
import type { ServiceClient } from './service-client.ts';
import { Terminal, terminalStreams } from './terminal.ts';

const STATUS_EVERY_MS = 1_000;
const BLOCKS_EVERY_MS = 5_000;
const RETRY_MS = 2_000;

/** Shows a service until somebody quits; without a terminal, its events as lines until it ends them. */
export async function runTop(client: ServiceClient, io: CommandIo, signal: AbortSignal): Promise<void> {
  // A service that is not there, or refuses, is told of before anything is drawn.
  const first = await client.status();
  const streams = terminalStreams(io);
  if (streams === null) return printEvents(client, io, signal);
  const view = new LiveView();
  view.takeStatus(first);
  const quit = new AbortController();
  signal.addEventListener('abort', () => quit.abort(), { once: true });
  const terminal = new Terminal(
    streams.out,
    streams.input,
    () => quit.abort(),
    () => draw(),
  );
  const draw = () => terminal.draw(frameOf(view, client.url, terminal.columns, terminal.rows));
  try {
    draw();
    await Promise.all([
      repeat(STATUS_EVERY_MS, quit.signal, async () => {
        await ask(view, async () => view.takeStatus(await client.status()));
        draw();
      }),
      repeat(BLOCKS_EVERY_MS, quit.signal, () =>
        ask(view, async () => {
          view.blocks = await client.blocks();
        }),
      ),
      follow(client, view, quit.signal),
    ]);
  } finally {
    terminal.close();
  }
}

async function printEvents(client: ServiceClient, io: CommandIo, signal: AbortSignal): Promise<void> {
  try {
    do {
      for await (const event of client.events(signal)) io.stdout.write(`${eventWords(event)}\n`);
      await pause(RETRY_MS, signal);
    } while (!signal.aborted && (await isServing(client)));
  } catch (cause) {
    if (!signal.aborted) throw cause;
  }
}

/** A stream ends with the service, but also when tokens are changed and for a reader that was slow: those come back. */
async function isServing(client: ServiceClient): Promise<boolean> {
  try {
    await client.status();
    return true;
  } catch (cause) {
    if (cause instanceof Fault && cause.code === 'TARGET_UNREACHABLE') return false;
    throw cause;
  }
}

/** Takes events as they come; begins again when the stream ends. They are drawn with the next status. */
async function follow(client: ServiceClient, view: LiveView, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    await ask(view, async () => {
      for await (const event of client.events(signal)) view.takeEvent(event);
    });
    await pause(RETRY_MS, signal);
  }
}

/** What goes wrong while the screen is up is shown there. */
async function ask(view: LiveView, question: () => Promise<void>): Promise<void> {
  try {
    await question();
    view.trouble = null;
  } catch (cause) {
    view.trouble = cause instanceof Fault ? cause.message : 'the connection to the service broke';
  }
}

async function repeat(everyMs: number, signal: AbortSignal, act: () => Promise<void>): Promise<void> {
  while (!signal.aborted) {
    await act();
    await pause(everyMs, signal);
  }
}

function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) return resolve();
    const end = () => {
      clearTimeout(timer);
      signal.removeEventListener('abort', end);
      resolve();
    };
    const timer = setTimeout(end, ms);
    signal.addEventListener('abort', end);
  });
}
