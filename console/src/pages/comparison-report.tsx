import { count, counted, share } from '../format/number.ts';
import { eventTime } from '../format/time.ts';
import { outcomeWord } from '../format/words.ts';
import { OutcomeBadge } from '../parts/badges.tsx';
import { DataTable } from '../parts/data-table.tsx';
import { Panel } from '../parts/panel.tsx';
import type { ComparisonResult, LabelResult } from '../replay/replay-messages.ts';

const outcomes = ['ALLOW', 'SOFT_BLOCK', 'HARD_BLOCK'] as const;

/** Where two policies part. */
export function ComparisonReport({ comparison }: { readonly comparison: ComparisonResult }) {
  const { events, differences, harder, outcomes: matrix, labels } = comparison;
  const cell = (a: string, b: string) => matrix[a]?.[b] ?? 0;
  return (
    <Panel title="Compared">
      <div class="panel-body">
        <p>
          <strong>{counted(differences, 'event')}</strong> of {count(events)} treated differently (
          {share(differences, events)}): policy A is harder on {count(harder.a)}, policy B on{' '}
          {count(harder.b)}; {count(harder.length)} differ in length only.
        </p>
      </div>
      <DataTable
        caption="How often policy A decided the row and policy B the column"
        showsCaption
        rows={outcomes}
        keyOf={(row) => row}
        columns={[
          { title: 'Policy A', cell: (row) => <OutcomeBadge outcome={row} />, isHead: true },
          ...outcomes.map((column) => ({
            title: `B: ${outcomeWord(column)}`,
            isNumber: true,
            cell: (row: (typeof outcomes)[number]) => (
              <span class={row === column ? 'faint' : ''}>{count(cell(row, column))}</span>
            ),
          })),
        ]}
      />
      {labels === null ? null : (
        <>
          <Scores name="Policy A" result={labels.a} attacks={labels.attacks} honest={labels.honest} />
          <Scores name="Policy B" result={labels.b} attacks={labels.attacks} honest={labels.honest} />
        </>
      )}
      <Subjects comparison={comparison} />
    </Panel>
  );
}

function Subjects({ comparison }: { readonly comparison: ComparisonResult }) {
  const { subjects } = comparison;
  if (subjects.length === 0) return null;
  return (
    <DataTable
      caption="Who is treated differently, most often first; named by the first line of the file where it shows"
      showsCaption
      isTall
      rows={subjects}
      keyOf={({ line }) => line}
      columns={[
        { title: 'Line', cell: ({ line }) => count(line), isHead: true, isMinor: true },
        { title: 'Time', cell: ({ t }) => eventTime(t), isMinor: true },
        { title: 'Policy A', cell: ({ a }) => <Short decision={a} /> },
        { title: 'Policy B', cell: ({ b }) => <Short decision={b} /> },
        { title: 'Events', cell: ({ decisions }) => count(decisions), isNumber: true, isMinor: true },
      ]}
    />
  );
}

function Short({ decision }: { readonly decision: ComparisonResult['subjects'][number]['a'] }) {
  const { outcome, level, rule, scope } = decision;
  return (
    <span class="held">
      <OutcomeBadge outcome={outcome} level={level} />
      {rule === null ? null : (
        <code>
          {rule} {scope}
        </code>
      )}
    </span>
  );
}

interface ScoresProps {
  readonly name: string;
  readonly result: LabelResult;
  readonly attacks: number;
  readonly honest: number;
}

function Scores({ name, result, attacks, honest }: ScoresProps) {
  const area = result.area === null ? '' : `; area under the curve ${result.area.toFixed(3)}`;
  return (
    <DataTable
      caption={`${name} by the labels: ${counted(attacks, 'attack')}, ${count(honest)} honest${area}`}
      showsCaption
      rows={result.rows}
      keyOf={({ atLeast }) => atLeast}
      columns={[
        { title: 'At least', cell: ({ atLeast }) => atLeast, isHead: true },
        { title: 'Precision', cell: ({ precision }) => partWords(precision), isNumber: true },
        { title: 'Recall', cell: ({ recall }) => partWords(recall), isNumber: true },
        {
          title: 'False alarms',
          cell: ({ falsePositiveRate }) => partWords(falsePositiveRate),
          isNumber: true,
        },
      ]}
    />
  );
}

const partWords = (value: number | null): string => (value === null ? '–' : share(value, 1));
