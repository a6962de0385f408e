import { useEffect, useRef } from 'preact/hooks';
import uPlot from 'uplot';
import 'uplot/dist/uPlot.min.css';
import type { ChartColumns } from '../feed/live-state.ts';
import { sinceZero } from '../format/time.ts';
import { theme } from '../state/theme.ts';
import { stackOf } from './stack.ts';

const HEIGHT_PX = 220;

interface OutcomeChartProps {
  readonly columns: ChartColumns;
  /** What the chart shows, in words: a picture is nothing to a screen reader. */
  readonly label: string;
  /** Axis of times as clock times, or as offsets from the start of a file. */
  readonly isClock?: boolean;
  /** Default true: there is an axis for levels. */
  readonly hasLevels?: boolean;
}

/** Outcomes over time, stacked, with the highest level as a line of its own. */
export function OutcomeChart({ columns, label, isClock = true, hasLevels = true }: OutcomeChartProps) {
  const box = useRef<HTMLDivElement>(null);
  const plot = useRef<uPlot | null>(null);
  const latest = useRef(columns);
  latest.current = columns;

  useEffect(() => {
    const host = box.current;
    if (host === null) return;
    const draw = () => {
      plot.current?.destroy();
      plot.current = new uPlot(optionsFor(host, isClock, hasLevels), stackOf(latest.current), host);
    };
    draw();
    const watch = new ResizeObserver(() =>
      plot.current?.setSize({ width: host.clientWidth, height: HEIGHT_PX }),
    );
    watch.observe(host);
    const stopTheme = theme.on(draw);
    const scheme = matchMedia('(prefers-color-scheme: dark)');
    scheme.addEventListener('change', draw);
    return () => {
      watch.disconnect();
      stopTheme();
      scheme.removeEventListener('change', draw);
      plot.current?.destroy();
      plot.current = null;
    };
  }, [isClock, hasLevels]);

  useEffect(() => {
    plot.current?.setData(stackOf(columns));
  }, [columns]);

  return <div class="chart" ref={box} role="img" aria-label={label} />;
}

function optionsFor(host: HTMLElement, isClock: boolean, hasLevels: boolean): uPlot.Options {
  const colour = colourReader(host);
  const bars = uPlot.paths.bars?.({ size: [0.9, 64], align: 1 });
  const stepped = uPlot.paths.stepped?.({ align: 1 });
  const stack = (name: string, label: string): uPlot.Series => ({
    label,
    fill: colour(name),
    width: 0,
    points: { show: false },
    ...(bars === undefined ? {} : { paths: bars }),
  });
  const axis = {
    stroke: colour('faint'),
    grid: { stroke: colour('line'), width: 1 },
    ticks: { show: false },
  };
  const font = `11px ${getComputedStyle(host).fontFamily}`;
  return {
    width: host.clientWidth || 600,
    height: HEIGHT_PX,
    legend: { show: false },
    cursor: { show: false },
    scales: {
      // A bar stands to the right of its time, the last one too.
      x: { time: isClock, range: (plot, least, most) => [least, most + binOf(plot)] },
      y: { range: (_, __, most) => [0, Math.max(4, Math.ceil(most * 1.08))] },
      level: { range: [0, 6.4] },
    },
    axes: [
      {
        ...axis,
        font,
        size: 30,
        space: 70,
        ...(isClock ? { values: clockValues } : { values: offsetValues, incrs: [...offsetSteps] }),
      },
      { ...axis, font, size: 46 },
      {
        ...axis,
        font,
        scale: 'level',
        show: hasLevels,
        side: 1,
        size: 30,
        grid: { show: false },
        splits: [0, 2, 4, 6],
        values: (_, splits) => splits.map((split) => (split === 0 ? '' : `L${split}`)),
      },
    ],
    series: [
      {},
      stack('chart-withheld', 'Not in the feed'),
      stack('chart-allow', 'Allowed'),
      stack('chart-soft', 'Soft block'),
      stack('chart-hard', 'Hard block'),
      {
        label: 'Highest level',
        scale: 'level',
        stroke: colour('chart-level'),
        width: 2,
        // A level that stood for one bar only has no line to be seen by.
        points: { show: true, size: 5, fill: colour('chart-level') },
        spanGaps: false,
        ...(stepped === undefined ? {} : { paths: stepped }),
      },
    ],
  };
}

/** The width of a bar, in seconds. */
function binOf({ data }: uPlot): number {
  const [times] = data;
  return times.length < 2 ? 1 : (times[1] ?? 1) - (times[0] ?? 0);
}

/** A canvas wants colours, and the tokens are expressions: an element shows what they come to in this theme. */
function colourReader(host: HTMLElement): (name: string) => string {
  return (name) => {
    const probe = document.createElement('span');
    probe.style.color = `var(--${name})`;
    host.append(probe);
    const { color } = getComputedStyle(probe);
    probe.remove();
    return color;
  };
}

const clock = new Intl.DateTimeFormat('en-GB', { hour: '2-digit', minute: '2-digit', second: '2-digit' });

const clockValues = (_: uPlot, splits: number[]) => splits.map((split) => clock.format(split * 1_000));

/** Between two marks of an axis of offsets, in seconds: steps that a clock has, of which the decimals would be none. */
const offsetSteps: readonly number[] = [
  1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1_800, 3_600, 7_200, 10_800, 21_600, 43_200, 86_400, 172_800,
  604_800, 2_592_000, 31_536_000,
];

const offsetValues = (_: uPlot, splits: number[]) =>
  splits.map((split) => sinceZero(Math.max(0, split) * 1_000));

interface LegendProps {
  readonly showsWithheld?: boolean;
  readonly hidesLevel?: boolean;
}

/** What the colours mean. The same numbers stand in a table beside the chart. */
export function ChartLegend({ showsWithheld = false, hidesLevel = false }: LegendProps) {
  return (
    <ul class="legend">
      <li>
        <span class="swatch hard" /> Hard block
      </li>
      <li>
        <span class="swatch soft" /> Soft block
      </li>
      <li>
        <span class="swatch allow" /> Allowed
      </li>
      {showsWithheld ? (
        <li>
          <span class="swatch withheld" /> Not in the feed
        </li>
      ) : null}
      {hidesLevel ? null : (
        <li>
          <span class="swatch level" /> Highest level (right)
        </li>
      )}
    </ul>
  );
}
