import { played, playedDay } from './played.ts';
import { goodputOf, percentileOf } from './reading.ts';
import { GUESSED_LIMIT, type ScenarioName, scenarios } from './scenarios.ts';
import type { Interval } from './simulate.ts';
import { type Line, type Plot, toSvg } from './svg-plot.ts';

const looks = {
  none: { name: 'no limit', colour: '#cf222e' },
  fixed: { name: `fixed limit of ${GUESSED_LIMIT}`, colour: '#bf8700' },
  adaptive: { name: 'limit that follows latency', colour: '#0969da' },
} as const;

const titles = {
  step: 'Step: three times the capacity from second 20 to 60',
  spike: 'Spike: five times the capacity for 2 s, every 20 s',
  sawtooth: 'Sawtooth: from 0.3 to 2.3 times the capacity, every 30 s',
  drift: 'Drift: from 0.3 to 3 times the capacity over 4 min',
  bimodal:
    'Two humps: nine calls in ten take 10 ms, one takes 110 ms; three times the capacity from second 20 to 60',
} as const satisfies Partial<Record<ScenarioName, string>>;

type Reading = (interval: Interval) => number;

/** The plots of loads in the documents: file names and contents. */
export async function drawLoads(): Promise<[file: string, svg: string][]> {
  const names = Object.keys(titles) as (keyof typeof titles)[];
  return Promise.all(
    names.map(async (name) => [`backpressure-${name}.svg`, toSvg(await loadPlot(name))] as [string, string]),
  );
}

/** The plot of the day. The plain gradient is at its end after minutes, so hours of it are enough. */
export async function drawDay(): Promise<[file: string, svg: string]> {
  const adaptive = await playedDay('adaptive');
  const plain = await playedDay('plain gradient');
  const limitsOf = (intervals: readonly Interval[]) =>
    adaptive.map((_, index) => intervals[index]?.limits[0] ?? Number.NaN);
  const title = 'A day of a tenth more than the dependency can take';
  const lines = [
    { name: 'gradient against a plain long average', colour: '#bf8700', values: limitsOf(plain) },
    { ...looks.adaptive, values: limitsOf(adaptive) },
  ];
  const across = { label: 'time (h)', end: 24, marks: marksUpTo(24) };
  const panels = [{ title: 'limit', top: GUESSED_LIMIT, lines }];
  return ['backpressure-day.svg', toSvg({ title, across, panels })];
}

async function loadPlot(scenario: keyof typeof titles): Promise<Plot> {
  const kinds = ['none', 'fixed', 'adaptive'] as const;
  const plays = await Promise.all(kinds.map(async (kind) => [kind, await played(scenario, kind)] as const));
  const linesOf = (read: Reading): Line[] =>
    plays.map(([kind, intervals]) => ({ ...looks[kind], values: intervals.map(read) }));
  const { arrivals, lengthMs } = scenarios[scenario];
  const seconds = lengthMs / 1_000;
  const asked: Line = {
    name: 'asked for',
    colour: '#8c959f',
    isDashed: true,
    values: Array.from({ length: seconds }, (_, second) => arrivals(second * 1_000 + 500)),
  };
  const most = 1_000 * Math.ceil(Math.max(...asked.values) / 1_000);
  return {
    title: titles[scenario],
    across: { label: 'time (s)', end: seconds, marks: marksUpTo(seconds) },
    panels: [
      { title: 'answered in time (calls/s)', top: most, lines: [asked, ...linesOf((at) => goodputOf([at]))] },
      {
        title: '99th percentile, cut at 500 (ms)',
        top: 500,
        lines: linesOf((at) => percentileOf([at], 0.99)),
      },
      { title: 'limit', top: GUESSED_LIMIT, lines: linesOf((at) => at.limits[0] ?? Number.NaN) },
    ],
  };
}

/** At most seven marks, at round numbers. */
function marksUpTo(end: number): number[] {
  const every = [4, 15, 20, 40].find((step) => end % step === 0 && end / step <= 6) ?? end;
  return Array.from({ length: end / every + 1 }, (_, index) => every * index);
}
