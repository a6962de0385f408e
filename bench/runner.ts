/** One measured number, beside the same number of a peer that does the same work on the same machine. */
export interface Measurement {
  /** What was measured, unit last: `check, memory store (ops/s)`. */
  readonly metric: string;
  readonly ours: number;
  /** The peer's name and major version, or null where there is none to compare with. */
  readonly peer: string | null;
  /** The peer's number in the same unit, null without a peer. */
  readonly peerValue: number | null;
  /** Which direction is good. Default: `higher`. */
  readonly better?: 'higher' | 'lower';
}

/** A measurement as it is printed: with its bench's name and how many times better than the peer we are. */
export interface BenchResult {
  readonly bench: string;
  readonly metric: string;
  readonly ours: number;
  readonly peer: string | null;
  readonly peerValue: number | null;
  /** Above 1 we are better, below 1 the peer is; null without a peer, and where a difference was lost in noise. */
  readonly ratio: number | null;
}

/** Takes a measurement as soon as it is there, so that a long bench shows its progress. */
export type Report = (measurement: Measurement) => void;

/** What every `bench/NAME.bench.ts` exports. */
export interface Bench {
  run(report: Report): Promise<void>;
}

/** Adds the name and the ratio. */
export function toResult(bench: string, measurement: Measurement): BenchResult {
  const { metric, ours, peer, peerValue, better = 'higher' } = measurement;
  return { bench, metric, ours, peer, peerValue, ratio: ratioOf(ours, peerValue, better) };
}

function ratioOf(ours: number, peerValue: number | null, better: 'higher' | 'lower'): number | null {
  // A cost below nothing is one that the run could not tell from its own noise.
  if (peerValue === null || peerValue < 0 || ours < 0) return null;
  const ratio = better === 'higher' ? ours / peerValue : peerValue / ours;
  return Number.isFinite(ratio) ? Number(ratio.toFixed(3)) : null;
}

/** The results as lines of an aligned table, heading first. */
export function toTable(results: readonly BenchResult[]): string[] {
  const rows = [
    ['metric', 'ours', 'peer', "peer's", 'ratio'],
    ...results.map(({ metric, ours, peer, peerValue, ratio }) => [
      metric,
      toText(ours),
      peer ?? '–',
      peerValue === null ? '–' : toText(peerValue),
      ratio === null ? '–' : `${ratio.toFixed(2)}×`,
    ]),
  ];
  const widths = rows[0]?.map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0))) ?? [];
  const toLeft = new Set([0, 2]);
  return rows.map((row) =>
    row
      .map((cell, column) =>
        toLeft.has(column) ? cell.padEnd(widths[column] ?? 0) : cell.padStart(widths[column] ?? 0),
      )
      .join('  ')
      .trimEnd(),
  );
}

function toText(value: number): string {
  if (Math.abs(value) >= 100) return Math.round(value).toLocaleString('en-US');
  return Number(value.toPrecision(3)).toString();
}

type Round = () => number | Promise<number>;

/**
 * The middle one of several rounds of `round`, each of which returns one number. A first round, which warms up,
 * is thrown away.
 */
export async function medianOf(rounds: number, round: Round): Promise<number> {
  const [median] = await mediansOf(rounds, [round]);
  return median ?? Number.NaN;
}

/** The same of several that are compared: they take turns, so that a busy moment of the machine is no one's alone. */
export async function mediansOf(rounds: number, contenders: readonly Round[]): Promise<number[]> {
  const values = contenders.map((): number[] => []);
  for (let turn = 0; turn <= rounds; turn += 1) {
    for (const [index, round] of contenders.entries()) {
      const value = await round();
      if (turn > 0) values[index]?.push(value);
    }
  }
  return values.map(middle);
}

/** The middle of each number that the rounds of one contender have shown. */
export function middleOf<Sample extends { readonly [Name in keyof Sample]: number }>(
  samples: readonly Sample[],
): Sample {
  const [first] = samples;
  if (first === undefined) throw new TypeError('A middle needs at least one round.');
  const names = Object.keys(first) as (keyof Sample)[];
  const middles = names.map((name) => [name, middle(samples.map((sample) => sample[name]))]);
  return Object.fromEntries(middles) as Sample;
}

function middle(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;
}
