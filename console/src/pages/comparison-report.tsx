import { count, counted, share } from '../format/number.ts';
import { eventTime } from '../format/time.ts';
import { outcomeWord } from '../format/words.ts';
import { OutcomeBadge } from '../parts/badges.tsx';
import { DataTable } from '../parts/data-table.tsx';
import { Panel } from '../parts/panel.tsx';
import type { ComparisonResult, Quality, ShortDecision } from '../replay/comparison.ts';

const outcomes = ['ALLOW', 'SOFT_BLOCK', 'HARD_BLOCK'] as const;

/** Where two policies part. */
export function ComparisonReport({ comparison }: { readonly comparison: ComparisonResult }) {
  const { matrix, same, different, differences, labelled } = comparison;
  return (
    <Panel title="Compared">
      <div class="panel-body">
        <p>
          <strong>{counted(different, 'event')}</strong> of {count(same + different)} treated differently (
          {share(different, same + different)}).
        </p>
      </div>
      <DataTable
        caption="How often policy A decided the row and policy B the column"
        showsCaption
        rows={outcomes}
        keyOf={(row) => row}
        columns={[
          {
            title: 'A, below; B, beside',
            cell: (row) => <OutcomeBadge outcome={row} />,
            isHead: true,
          },
          ...outcomes.map((column) => ({
            title: outcomeWord(column),
            isNumber: true,
            cell: (row: (typeof outcomes)[number]) =>
              row === column ? (
                <span class="faint">{count(matrix[row][column])}</span>
              ) : (
                count(matrix[row][column])
              ),
          })),
        ]}
      />
      {labelled > 0 ? <QualityTable comparison={comparison} /> : null}
      {differences.length === 0 ? null : (
        <DataTable
          caption={`First differences (${count(differences.length)} of ${count(different)})`}
          showsCaption
          rows={differences}
          keyOf={({ line }) => line}
          columns={[
            { title: 'Line', cell: ({ line }) => count(line), isHead: true, isNumber: true },
            { title: 'Time', cell: ({ t }) => eventTime(t), isMinor: true },
            { title: 'Policy A', cell: ({ a }) => <Short decision={a} /> },
            { title: 'Policy B', cell: ({ b }) => <Short decision={b} /> },
            {
              title: 'Label',
              cell: ({ attack }) => (attack === null ? '' : attack ? 'attack' : 'no attack'),
              isMinor: true,
            },
          ]}
        />
      )}
    </Panel>
  );
}

function Short({ decision }: { readonly decision: ShortDecision }) {
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

function QualityTable({ comparison }: { readonly comparison: ComparisonResult }) {
  const rows: readonly (Quality & { name: string })[] = [
    { name: 'Policy A', ...comparison.qualityA },
    { name: 'Policy B', ...comparison.qualityB },
  ];
  return (
    <DataTable
      caption={`By the labels of ${counted(comparison.labelled, 'event')}`}
      showsCaption
      rows={rows}
      keyOf={({ name }) => name}
      columns={[
        { title: 'Policy', cell: ({ name }) => name, isHead: true },
        { title: 'Precision', cell: ({ precision }) => partWords(precision), isNumber: true },
        { title: 'Recall', cell: ({ recall }) => partWords(recall), isNumber: true },
        { title: 'False alarms', cell: ({ falseAlarms }) => partWords(falseAlarms), isNumber: true },
      ]}
    />
  );
}

const partWords = (value: number | null): string => (value === null ? '–' : share(value, 1));
