import { useMemo } from 'preact/hooks';
import type { ChartColumns } from '../feed/live-state.ts';
import { count, counted, share } from '../format/number.ts';
import { eventTime } from '../format/time.ts';
import { ruleWord } from '../format/words.ts';
import { OutcomeBadge, ScopeTag } from '../parts/badges.tsx';
import { BarList } from '../parts/bar-list.tsx';
import { DataTable } from '../parts/data-table.tsx';
import { ChartLegend, OutcomeChart } from '../parts/outcome-chart.tsx';
import { Empty, Panel } from '../parts/panel.tsx';
import type { LogResult, ReplayResult, SideResult, TimelineResult } from '../replay/replay-messages.ts';
import { ComparisonReport } from './comparison-report.tsx';

interface ReplayReportProps {
  readonly result: ReplayResult;
  readonly durationMs: number;
  readonly fileName: string;
}

/** What a replay found. People are named by the line of the file they stand in. */
export function ReplayReport({ result, durationMs, fileName }: ReplayReportProps) {
  const { events, badLines, firstBad, backwards, log, a, b, comparison } = result;
  const perSecond = (events * 1_000) / Math.max(1, durationMs);
  return (
    <>
      <p role="status" class="notice plain">
        {fileName}: {log === null ? '' : `${formatWords[result.format]}, ${counted(log.lines, 'line')}, `}
        {counted(events, 'event')} in {(durationMs / 1_000).toFixed(1)} s ({count(perSecond)} a second).
        {backwards > 0 ? ` Time went backwards ${counted(backwards, 'time')}.` : ''}
      </p>
      {firstBad === null ? null : (
        <p class="notice">
          {counted(badLines, 'bad line')} left out; the first is line {count(firstBad.line)}: {firstBad.why}
        </p>
      )}
      {log === null ? null : <LogNotices log={log} hasEvents={events > 0} />}
      {comparison === null || b === null ? null : <ComparisonReport comparison={comparison} />}
      <div class="columns">
        <Side title={b === null ? 'Result' : 'Policy A'} side={a} events={events} />
        {b === null ? null : <Side title="Policy B" side={b} events={events} />}
      </div>
    </>
  );
}

const formatWords: Readonly<Record<ReplayResult['format'], string>> = {
  events: 'events',
  nginx: 'an access log of nginx or Apache',
  apache: 'an access log of Apache',
  json: 'an access log of JSON objects',
  sshd: 'a log of OpenSSH',
  kratos: 'a log of Kratos',
};

/** What of a log could not be decided. */
function LogNotices({ log, hasEvents }: { readonly log: LogResult; readonly hasEvents: boolean }) {
  const { lines, unknown, firstUnknown, nameless } = log;
  return (
    <>
      {unknown === 0 ? null : (
        <p class="notice">
          {count(unknown)} of {counted(lines, 'line')} not understood and not counted; the first is line{' '}
          {count(firstUnknown ?? 0)}.{hasEvents ? '' : ' Is the format right?'}
        </p>
      )}
      {nameless === 0 ? null : (
        <p class="notice plain">
          {counted(nameless, 'login')} without a name: the log does not say whose, so nothing was decided.
        </p>
      )}
    </>
  );
}

interface SideProps {
  readonly title: string;
  readonly side: SideResult;
  readonly events: number;
}

const outcomes = ['ALLOW', 'SOFT_BLOCK', 'HARD_BLOCK'] as const;

function Side({ title, side, events }: SideProps) {
  const columns = useMemo(() => columnsOf(side.timeline), [side]);
  const isClock = side.timeline.start >= 946_684_800_000;
  const words = outcomes.map((outcome) => `${outcome} ${count(side.outcomes[outcome] ?? 0)}`).join(', ');
  return (
    <Panel title={title}>
      <div class="panel-body">
        <OutcomeChart
          columns={columns}
          label={`Outcomes over the time of the file: ${words}`}
          isClock={isClock}
          hasLevels={false}
        />
        <ChartLegend hidesLevel />
        {side.forgotten > 0 ? (
          <p class="notice">
            {counted(side.forgotten, 'record')} dropped to stay within memory; later decisions on them started
            anew.
          </p>
        ) : null}
      </div>
      <DataTable
        caption={`${title}: decisions by outcome`}
        rows={outcomes}
        keyOf={(outcome) => outcome}
        columns={[
          { title: 'Outcome', cell: (outcome) => <OutcomeBadge outcome={outcome} />, isHead: true },
          { title: 'Events', cell: (outcome) => count(side.outcomes[outcome] ?? 0), isNumber: true },
          { title: 'Share', cell: (outcome) => share(side.outcomes[outcome] ?? 0, events), isNumber: true },
        ]}
      />
      <Names title="Rules" names={side.rules} isScope={false} />
      <Names title="Scopes" names={side.scopes} isScope />
      <FirstBlocks side={side} />
    </Panel>
  );
}

interface NamesProps {
  readonly title: string;
  readonly names: Readonly<Record<string, number>>;
  readonly isScope: boolean;
}

function Names({ title, names, isScope }: NamesProps) {
  const rows = Object.entries(names).sort(([, a], [, b]) => b - a);
  if (rows.length === 0) return null;
  return (
    <>
      <h3 class="inner-head">{title}</h3>
      <BarList
        caption={title}
        rows={rows}
        name={(name) =>
          isScope ? (
            <ScopeTag scope={name} />
          ) : (
            <>
              <code>{name}</code> <span class="faint">{ruleWord(name)}</span>
            </>
          )
        }
      />
    </>
  );
}

function FirstBlocks({ side }: { readonly side: SideResult }) {
  if (side.firstBlocks.length === 0) return <Empty>Nobody was hard blocked.</Empty>;
  return (
    <DataTable
      caption="First hard blocks"
      showsCaption
      rows={side.firstBlocks}
      keyOf={({ line }) => line}
      columns={[
        { title: 'Line', cell: ({ line }) => count(line), isHead: true },
        { title: 'Time', cell: ({ t }) => eventTime(t) },
        { title: 'Rule', cell: ({ rule }) => <code>{rule}</code> },
        { title: 'Scope', cell: ({ scope }) => <ScopeTag scope={scope} /> },
      ]}
    />
  );
}

function columnsOf({ start, binMs, bins }: TimelineResult): ChartColumns {
  return {
    times: bins.map((_, index) => (start + index * binMs) / 1_000),
    hard: bins.map((bin) => bin.HARD_BLOCK),
    soft: bins.map((bin) => bin.SOFT_BLOCK),
    allow: bins.map((bin) => bin.ALLOW),
    withheld: bins.map(() => 0),
    topLevel: bins.map(() => null),
  };
}
