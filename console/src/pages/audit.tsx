import { type AuditAct, readAudit } from '../api/operating.ts';
import { nodeClock } from '../api/service-clock.ts';
import { aboutWords, isAboutPin } from '../format/audit-words.ts';
import { clockTime } from '../format/time.ts';
import { DataTable } from '../parts/data-table.tsx';
import { Empty, Panel, Problem } from '../parts/panel.tsx';
import { useReading } from '../state/reading.ts';

const EVERY_MS = 10_000;

/** What operators did: who, why and until when. */
export function AuditPage() {
  const { value, problem } = useReading(readAudit, EVERY_MS);
  const now = nodeClock.now();
  return (
    <>
      <div class="page-head">
        <h1>Audit</h1>
        <p>What operators did, newest first.</p>
      </div>
      <Problem text={problem} />
      <Panel title="Acts of operators">
        {value === null || value.length === 0 ? (
          <Empty>{wordsForNone(value, problem)}</Empty>
        ) : (
          <DataTable
            caption="Acts of operators, newest first"
            rows={value.map((act, index) => ({ ...act, index }))}
            keyOf={({ at, index }) => `${at}-${index}`}
            columns={[
              {
                title: 'When',
                cell: ({ at }) => <span class="when">{clockTime(at, now)}</span>,
                isHead: true,
              },
              { title: 'Who', cell: ({ by }) => <span class="typed">{by}</span> },
              {
                title: 'What',
                cell: ({ what, isUnsure }) => (isUnsure ? `${what}, perhaps: the store failed` : what),
              },
              { title: 'On', cell: (act) => <AuditTarget act={act} />, isMinor: true },
              { title: 'Why', cell: ({ why }) => <span class="typed">{why}</span>, isMinor: true },
              {
                title: 'Until',
                cell: ({ until }) => (until === null ? '–' : clockTime(until, now)),
                isMinor: true,
              },
            ]}
          />
        )}
      </Panel>
    </>
  );
}

/** Of what could not be read nobody can say that it is empty. */
function wordsForNone(value: readonly AuditAct[] | null, problem: string | null): string {
  if (value !== null) return 'Nobody has lifted, placed or pinned anything.';
  return problem === null ? 'Looking…' : 'Acts of operators could not be read.';
}

function AuditTarget({ act: { what, about } }: { readonly act: AuditAct }) {
  const words = aboutWords(what, about);
  return isAboutPin(what) ? <span title={about}>{words}</span> : <code title={about}>{words}</code>;
}
