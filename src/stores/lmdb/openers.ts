/** A store that has the file open. */
export interface Opener {
  /** Nobody else's, ever. */
  readonly id: string;
  readonly pid: number;
  /** Process ids of another host, or of another container, say nothing here. */
  readonly host: string;
}

/** More are leftovers of other hosts; those that came first go first. */
const mostOpeners = 32;

/** The line of one opener in the list that the file keeps. */
export function lineOf({ id, pid, host }: Opener): string {
  return `${id} ${pid} ${host.replace(/\s/g, '_')}`;
}

/**
 * The list with this one at its end.
 *
 * @param isAlive whether an opener of this host still runs; those that do not are left out
 */
export function withOpener(
  list: string | undefined,
  opener: Opener,
  isAlive: (id: string, pid: number) => boolean,
): string {
  const own = lineOf(opener);
  const [, , host] = own.split(' ');
  const others = linesOf(list).filter((line) => {
    const [id = '', pid, itsHost] = line.split(' ');
    return line !== own && (itsHost !== host || isAlive(id, Number(pid)));
  });
  return [...others, own].slice(-mostOpeners).join('\n');
}

const linesOf = (list: string | undefined): string[] =>
  (list ?? '').split('\n').filter((line) => line !== '');
