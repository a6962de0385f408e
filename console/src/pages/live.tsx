import { useMemo, useRef, useState } from 'preact/hooks';
import { nodeClock } from '../api/service-clock.ts';
import { feed } from '../feed/feed-client.ts';
import { type ChartColumns, chartColumns, type LiveState, type Pace, topNames } from '../feed/live-state.ts';
import { count, rate } from '../format/number.ts';
import { clockTime } from '../format/time.ts';
import { ruleWord } from '../format/words.ts';
import { ScopeTag } from '../parts/badges.tsx';
import { BarList } from '../parts/bar-list.tsx';
import { DataTable } from '../parts/data-table.tsx';
import { Icon } from '../parts/icons.tsx';
import { ChartLegend, OutcomeChart } from '../parts/outcome-chart.tsx';
import { Empty, Panel } from '../parts/panel.tsx';
import { useCell } from '../state/cell.ts';
import { DecisionPanel } from './decision-panel.tsx';
import { EventStream } from './event-stream.tsx';
import { NewBlocks } from './new-blocks.tsx';

const spans = [
  { name: '2 min', spanSeconds: 120, binSeconds: 2 },
  { name: '15 min', spanSeconds: 900, binSeconds: 10 },
] as const;

/** What happens now. */
export function LivePage() {
  const live = useCell(feed, liveOf);
  const [span, setSpan] = useState<(typeof spans)[number]>(spans[0]);
  const columns = useMemo(
    () => chartColumns(live.seconds, nodeClock.now(), span.spanSeconds, span.binSeconds),
    [live, span],
  );
  const sums = useMemo(() => sumsOf(columns), [columns]);
  return (
    <>
      <div class="page-head">
        <h1>Live</h1>
        <p>Decisions of this node as they are made. Nobody is named here.</p>
      </div>
      <SampleNotice live={live} />
      <Stats sums={sums} perSecond={live.pace.perSecond} spanName={span.name} />
      <Panel
        title="Outcomes over time"
        aside={
          <fieldset class="switch plain-set">
            <legend class="unseen">Time shown</legend>
            {spans.map((choice) => (
              <button
                key={choice.name}
                type="button"
                class="small"
                aria-pressed={choice === span}
                onClick={() => setSpan(choice)}
              >
                {choice.name}
              </button>
            ))}
          </fieldset>
        }
      >
        <figure class="panel-body">
          <OutcomeChart columns={columns} label={chartWords(sums, span.name)} />
          <figcaption>
            <ChartLegend showsWithheld={sums.withheld > 0} />
          </figcaption>
          <details>
            <summary>As a table</summary>
            <ChartTable columns={columns} />
          </details>
        </figure>
      </Panel>
      <div class="columns">
        <div class="stack">
          <TopPanel live={live} kind="rules" />
          <TopPanel live={live} kind="scopes" />
        </div>
        <NewBlocks lines={live.blocks} />
        <EventStream lines={live.notable} />
      </div>
      <DecisionPanel lines={live.lines} />
    </>
  );
}

const liveOf = ({ live }: ReturnType<typeof feed.get>) => live;

interface Sums {
  readonly allow: number;
  readonly soft: number;
  readonly hard: number;
  readonly withheld: number;
  readonly topLevel: number;
}

function sumsOf({ allow, soft, hard, withheld, topLevel }: ChartColumns): Sums {
  const sum = (values: readonly number[]) => values.reduce((all, value) => all + value, 0);
  return {
    allow: sum(allow),
    soft: sum(soft),
    hard: sum(hard),
    withheld: sum(withheld),
    topLevel: Math.max(0, ...topLevel.map((level) => level ?? 0)),
  };
}

const chartWords = ({ allow, soft, hard, withheld, topLevel }: Sums, spanName: string): string =>
  `Last ${spanName}: ${count(allow)} allowed, ${count(soft)} soft blocks, ${count(hard)} hard blocks, highest level ${topLevel}.${withheld > 0 ? ` ${count(withheld)} more were not in the feed.` : ''}`;

interface StatsProps {
  readonly sums: Sums;
  readonly perSecond: number;
  readonly spanName: string;
}

function Stats({ sums, perSecond, spanName }: StatsProps) {
  return (
    <dl class="stats">
      <div>
        <dt>Events a second</dt>
        <dd>{rate(perSecond)}</dd>
      </div>
      <div>
        <dt>Allowed, {spanName}</dt>
        <dd>{count(sums.allow)}</dd>
      </div>
      <div>
        <dt>Soft blocks, {spanName}</dt>
        <dd class={sums.soft > 0 ? 'soft' : ''}>{count(sums.soft)}</dd>
      </div>
      <div>
        <dt>Hard blocks, {spanName}</dt>
        <dd class={sums.hard > 0 ? 'hard' : ''}>{count(sums.hard)}</dd>
      </div>
      <div>
        <dt>Highest level</dt>
        <dd>{sums.topLevel === 0 ? '–' : `L${sums.topLevel}`}</dd>
      </div>
      {sums.withheld > 0 ? (
        <div>
          <dt>Not in the feed, {spanName}</dt>
          <dd>{count(sums.withheld)}</dd>
        </div>
      ) : null}
    </dl>
  );
}

/**
 * More arrives than can be shown: said, never hidden. Stays for a while, so that it does not flicker. Read out once: the numbers change
 * as long as it goes on, and stand beside what is read.
 */
function SampleNotice({ live }: { readonly live: LiveState }) {
  const { pace } = live;
  const lastSampledAt = useRef(Number.NEGATIVE_INFINITY);
  if (pace.isSampled) lastSampledAt.current = performance.now();
  const isShown = performance.now() - lastSampledAt.current < 3_000;
  return (
    <div class={isShown ? 'notice' : 'silent'}>
      {isShown ? <Icon name="info" /> : null}
      <div>
        <span role="status">{isShown ? 'Sampled: more happens than can be shown.' : null}</span>{' '}
        {isShown ? <span>{sampleWords(pace)}</span> : null}
      </div>
    </div>
  );
}

const sampleWords = ({ withheld, perSecond }: Pace): string =>
  withheld > 0
    ? `The service has left ${count(withheld)} events out of its feed; the chart shows the decisions among them in grey.`
    : `${rate(perSecond)} events a second arrive; the list shows some, the counts include all.`;

interface Row {
  readonly time: number;
  readonly allow: number;
  readonly soft: number;
  readonly hard: number;
  readonly withheld: number;
  readonly level: number;
}

/** The same numbers as the chart's. */
function ChartTable({ columns }: { readonly columns: ChartColumns }) {
  const rows: readonly Row[] = columns.times
    .map((time, index) => ({
      time,
      allow: columns.allow[index] ?? 0,
      soft: columns.soft[index] ?? 0,
      hard: columns.hard[index] ?? 0,
      withheld: columns.withheld[index] ?? 0,
      level: columns.topLevel[index] ?? 0,
    }))
    .filter(({ allow, soft, hard, withheld }) => allow + soft + hard + withheld > 0)
    .reverse();
  const hasWithheld = rows.some(({ withheld }) => withheld > 0);
  if (rows.length === 0) return <Empty>No decisions in this time.</Empty>;
  return (
    <DataTable
      caption="Outcomes over time, newest first; times without decisions are left out"
      keyOf={({ time }) => time}
      rows={rows}
      columns={[
        { title: 'From', cell: ({ time }) => clockTime(time * 1_000, nodeClock.now()), isHead: true },
        { title: 'Allowed', cell: ({ allow }) => count(allow), isNumber: true },
        { title: 'Soft', cell: ({ soft }) => count(soft), isNumber: true },
        { title: 'Hard', cell: ({ hard }) => count(hard), isNumber: true },
        ...(hasWithheld
          ? [{ title: 'Not in the feed', cell: ({ withheld }: Row) => count(withheld), isNumber: true }]
          : []),
        { title: 'Highest level', cell: ({ level }) => level || '–', isNumber: true },
      ]}
    />
  );
}

function TopPanel({ live, kind }: { readonly live: LiveState; readonly kind: 'rules' | 'scopes' }) {
  const rows = useMemo(() => topNames(live.minutes, kind), [live.minutes, kind]);
  const title = kind === 'rules' ? 'Top rules, 15 min' : 'Top scopes, 15 min';
  return (
    <Panel title={title}>
      {rows.length === 0 ? (
        <Empty>No denial in this time.</Empty>
      ) : (
        <BarList
          caption={title}
          rows={rows}
          name={(name) =>
            kind === 'scopes' ? (
              <ScopeTag scope={name} />
            ) : (
              <>
                <code>{name}</code> <span class="faint">{ruleWord(name)}</span>
              </>
            )
          }
        />
      )}
    </Panel>
  );
}
