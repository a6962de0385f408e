import type { EntrySink, LineKind, LogFormat } from './log-entry.ts';
import { parseObject } from './syslog-line.ts';

/** What was written by a container, as its runtime keeps it. */
interface Piece {
  readonly stream: string;
  readonly text: string;
  /** Long lines are kept in several pieces; the last one ends the line. */
  readonly isLast: boolean;
}

/** Longer lines are not put together. In characters. */
const LONGEST_LINE = 4_194_304;

/** How Docker's `json-file` begins each of its objects. */
const DOCKER_BEGIN = '{"log":"';
const streams: readonly unknown[] = ['stdout', 'stderr'];
/** What containerd and CRI-O write before a line: time, stream, `F`ull or `P`artial with further tags. */
const ofCri =
  /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,9})?(?:Z|[+-]\d\d:\d\d) (stdout|stderr) ([FP])(?::\S{0,64})? /;
const dash = 45;

/**
 * A log that may have been kept by a container runtime, each line in an object of Docker's or behind a header of the Kubernetes
 * runtimes: the format reads what the container wrote. Neither can be sent by a client, for a server writes something of its own first.
 */
export class ContainerLog implements LogFormat {
  readonly #log: LogFormat;
  /** Lines that have begun, by stream; null where one has become too long. */
  readonly #begun = new Map<string, string | null>();

  constructor(log: LogFormat) {
    this.#log = log;
  }

  read(line: string, emit: EntrySink): LineKind {
    const piece = line.startsWith(DOCKER_BEGIN) ? dockerPiece(line) : criPiece(line);
    return piece === null ? this.#log.read(line, emit) : this.#readPiece(piece, emit);
  }

  end(emit: EntrySink): void {
    this.#begun.clear();
    this.#log.end(emit);
  }

  #readPiece({ stream, text, isLast }: Piece, emit: EntrySink): LineKind {
    const begun = this.#begun.get(stream) ?? (this.#begun.has(stream) ? null : '');
    // The rest of a line may be a client's words, and must not pass for a line.
    const whole = begun === null || begun.length + text.length > LONGEST_LINE ? null : begun + text;
    if (!isLast) {
      this.#begun.set(stream, whole);
      return 'read';
    }
    this.#begun.delete(stream);
    if (whole === null) return 'unknown';
    const line = whole.endsWith('\r') ? whole.slice(0, -1) : whole;
    return line === '' ? 'other' : this.#log.read(line, emit);
  }
}

function dockerPiece(line: string): Piece | null {
  const { log, stream, time } = parseObject(line) ?? {};
  if (typeof log !== 'string' || typeof time !== 'string' || !streams.includes(stream)) return null;
  const isLast = log.endsWith('\n');
  return { stream: String(stream), text: isLast ? log.slice(0, -1) : log, isLast };
}

function criPiece(line: string): Piece | null {
  if (line.charCodeAt(4) !== dash) return null;
  const [header, stream, tag] = ofCri.exec(line) ?? [];
  if (header === undefined || stream === undefined) return null;
  return { stream, text: line.slice(header.length), isLast: tag === 'F' };
}
