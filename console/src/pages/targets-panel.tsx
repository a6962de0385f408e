import { spanText, waitText } from '../../../src/core/span-text.ts';
import { ask } from '../api/client.ts';
import { type LoopView, type TargetsView, type TargetView, targetsOf } from '../api/targets.ts';
import { count, counted } from '../format/number.ts';
import { DataTable } from '../parts/data-table.tsx';
import { Icon } from '../parts/icons.tsx';
import { Empty, Panel, Problem } from '../parts/panel.tsx';
import { useReading } from '../state/reading.ts';

const EVERY_MS = 2_000;

const readTargets = async (): Promise<TargetsView> => targetsOf(await ask('GET', 'v1/targets'));

/** What applications report of the services they call. */
export function TargetsPanel() {
  const { value, problem } = useReading(readTargets, EVERY_MS);
  return (
    <Panel title="Targets and breakers">
      <Problem text={problem} />
      {value === null ? null : <Notices value={value} />}
      {value === null || value.targets.length === 0 ? (
        <Empty>{wordsForNone(value, problem)}</Empty>
      ) : (
        <Targets rows={value.targets} />
      )}
    </Panel>
  );
}

/** Of what could not be read nobody can say that it is empty. */
function wordsForNone(value: TargetsView | null, problem: string | null): string {
  if (value !== null) return 'No application reports the services it calls to this node.';
  return problem === null ? 'Looking…' : 'Targets could not be read.';
}

/** What concerns a client as a whole. */
function Notices({ value }: { readonly value: TargetsView }) {
  return value.reporters.map(({ name, globalBreaker, globalCause, loops, recentLoops, leftOut }) => {
    const why = globalCause === null ? '' : `: ${causes[globalCause] ?? globalCause}`;
    const words = [
      globalBreaker === 'closed' ? '' : `its breaker over all targets is ${globalBreaker}${why}.`,
      loops > 0 ? `it has refused ${counted(loops, 'loop')}.` : '',
      leftOut > 0 ? `${counted(leftOut, 'target')} more than a report holds.` : '',
    ].filter((sentence) => sentence !== '');
    return words.length === 0 ? null : (
      <div key={name} class="notice">
        {name}: {words.join(' ')}
        <Loops loops={recentLoops} />
      </div>
    );
  });
}

const causes: Readonly<Record<string, string>> = {
  saturation: 'a resource is saturated',
  partition: 'most targets fail at once',
  latency: 'calls take much longer than they did',
};

function Loops({ loops }: { readonly loops: readonly LoopView[] }) {
  if (loops.length === 0) return null;
  return (
    <ul>
      {loops.map(({ requestId, way, agoMs }, index) => (
        <li key={`${requestId} ${index}`}>
          Loop of request <code>{requestId}</code> {spanText(agoMs)} ago: {way}
        </li>
      ))}
    </ul>
  );
}

function Targets({ rows }: { readonly rows: readonly TargetView[] }) {
  return (
    <DataTable
      caption="Targets of calls between services, and their breakers"
      rows={rows.map((row, index) => ({ ...row, index }))}
      keyOf={({ target, reporter, index }) => `${target} ${reporter} ${index}`}
      columns={[
        { title: 'Target', cell: ({ target }) => <code>{target}</code>, isHead: true },
        { title: 'Reported by', cell: ({ reporter }) => reporter },
        { title: 'Breaker', cell: (row) => <Breaker row={row} /> },
        { title: 'Calls', cell: ({ calls }) => count(calls), isNumber: true },
        { title: 'Retries', cell: ({ retries }) => count(retries), isNumber: true, isMinor: true },
        { title: 'Failures', cell: ({ failures }) => count(failures), isNumber: true, isMinor: true },
        { title: 'Refused', cell: ({ denied }) => refusals(denied), isNumber: true },
        { title: 'Report', cell: ({ ageMs }) => `${spanText(ageMs)} ago`, isMinor: true },
      ]}
    />
  );
}

function Breaker({ row: { breaker, probeInMs, isPinned } }: { readonly row: TargetView }) {
  const isClosed = breaker === 'closed';
  return (
    <>
      <span class={`badge ${isClosed ? 'allow' : 'hard'}`}>
        <Icon name={isClosed ? 'allow' : 'alert'} />
        {breaker}
      </span>
      {probeInMs > 0 ? ` probe in ${waitText(probeInMs)}` : ''}
      {isPinned ? ' pinned' : ''}
    </>
  );
}

/** All of them, and why where there were some. */
function refusals(denied: TargetView['denied']): string {
  const all = denied.reduce((sum, [, number]) => sum + number, 0);
  const why = denied.filter(([, number]) => number > 0).map(([reason]) => reason);
  return why.length === 0 ? count(all) : `${count(all)} (${why.join(', ')})`;
}
