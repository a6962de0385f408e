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
export function untilToldToEnd(source: SignalSource = process): Promise<NodeJS.Signals> {
  return new Promise((resolve) => {
    const told = (signal: NodeJS.Signals) => {
      resolve(signal);
      // Where nobody listens, the system ends the process.
      const stop = () => endings.forEach((ending) => void source.off(ending, told));
      setTimeout(stop, sameWishMs).unref();
    };
    for (const ending of endings) source.on(ending, told);
  });
}

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
