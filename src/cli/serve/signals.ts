import { constants } from 'node:os';

/**
 * One Ctrl-C may come several times: the terminal sends it to every process before it, and npm and other parents pass on
 * what they got. What comes within this time of the first is the same wish.
 */
const sameWishMs = 1_000;

/** What says that somebody wants the process to end; a process does. */
export interface SignalSource {
  on(signal: NodeJS.Signals, heard: (signal: NodeJS.Signals) => void): unknown;
  off(signal: NodeJS.Signals, heard: (signal: NodeJS.Signals) => void): unknown;
}

/**
 * Resolves with the name of the first signal that asks the process to end. Another one, a second later or more, ends it
 * at once.
 */
export function untilToldToEnd(source: SignalSource = process, end = endBy): Promise<NodeJS.Signals> {
  return new Promise((resolve) => {
    let isTold = false;
    const told = (signal: NodeJS.Signals) => {
      if (isTold) return;
      isTold = true;
      resolve(signal);
      setTimeout(hurry, sameWishMs).unref();
    };
    const hurry = () => {
      for (const ending of endings) source.off(ending, told);
      endWhenTold(source, end);
    };
    for (const ending of endings) source.on(ending, told);
  });
}

/**
 * Ends the process at the first signal that asks for it, for as long as nobody does more about one. Gives what ends the
 * listening. Without this the system would do it, but for the first process of a container: that one hears no signal which it
 * does not listen to, and who stops a container that is starting would wait until it is killed.
 */
export function endWhenTold(source: SignalSource = process, end = endBy): () => void {
  const told = (signal: NodeJS.Signals) => {
    ignore();
    end(signal);
  };
  const ignore = () => {
    for (const ending of endings) source.off(ending, told);
  };
  for (const ending of endings) source.on(ending, told);
  return ignore;
}

/** By the signal itself, so that whoever has started us sees why; the first process of a container can only leave. */
function endBy(signal: NodeJS.Signals): void {
  if (process.pid !== 1) process.kill(process.pid, signal);
  else process.exit(signalExitBase + constants.signals[signal]);
}

/** What shells add to the number of the signal that a process has ended by. */
const signalExitBase = 128;

/**
 * Calls on every `SIGHUP`, which would end a process that does not listen to it. Gives what ends the listening.
 */
export function onHangup(heard: () => void, source: SignalSource = process): () => void {
  source.on('SIGHUP', heard);
  return () => void source.off('SIGHUP', heard);
}

/**
 * What a `SIGHUP` asks for: to read the configuration again, where there is a file of it. Without one it may come from
 * a terminal that is being closed, which takes its programs along; to a service without either it says nothing.
 */
export function wishOfHangup(hasFile: boolean, isOnTerminal: boolean): 'reload' | 'end' | 'nothing' {
  if (hasFile) return 'reload';
  return isOnTerminal ? 'end' : 'nothing';
}

const endings = ['SIGTERM', 'SIGINT'] as const;
