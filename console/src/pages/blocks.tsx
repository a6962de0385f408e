import { useMemo, useState } from 'preact/hooks';
import { liftBlock, type RunningBlock, readBlocks } from '../api/operating.ts';
import { counted } from '../format/number.ts';
import { scopeWord, shortBlock } from '../format/words.ts';
import { OutcomeBadge, ScopeTag } from '../parts/badges.tsx';
import { Countdown, useServiceNow } from '../parts/countdown.tsx';
import { DataTable } from '../parts/data-table.tsx';
import { NoteDialog } from '../parts/note-dialog.tsx';
import { Empty, Panel, Problem } from '../parts/panel.tsx';
import { useReading } from '../state/reading.ts';

const EVERY_MS = 5_000;
const SHOWN = 200;

/** Every block that runs. Their ids are hashes; who is behind one is found by typing the subject. */
export function BlocksPage() {
  const { value, problem, again } = useReading(readBlocks, EVERY_MS);
  const [lifting, setLifting] = useState<RunningBlock | null>(null);
  const [policy, setPolicy] = useState('');
  const [scope, setScope] = useState('');
  const [said, setSaid] = useState('');
  const now = useServiceNow();
  const blocks = useMemo(() => value ?? [], [value]);
  const running = blocks
    .filter((block) => block.until > now)
    .filter((block) => (policy === '' || block.policy === policy) && (scope === '' || block.scope === scope))
    .sort((a, b) => b.level - a.level || a.until - b.until);
  const lift = async (block: RunningBlock, note: { by: string; why: string }) => {
    const wasRunning = await liftBlock(block.id, note);
    setSaid(wasRunning ? 'The block is lifted.' : 'The block had already ended.');
    again();
  };
  return (
    <>
      <div class="page-head">
        <h1>Blocks</h1>
        <p>
          Ids are hashes. To find out about somebody, <a href="#/subject">type the subject</a>.
        </p>
      </div>
      <Problem text={problem} />
      <p role="status" class={said === '' ? 'unseen' : 'notice'}>
        {said}
      </p>
      <Panel
        title={value === null ? 'Running blocks' : counted(running.length, 'running block')}
        aside={
          <>
            <Choice label="Policy" value={policy} choices={namesOf(blocks, 'policy')} onChange={setPolicy} />
            <Choice
              label="Scope"
              value={scope}
              choices={namesOf(blocks, 'scope')}
              onChange={setScope}
              word={scopeWord}
            />
          </>
        }
      >
        {running.length === 0 ? (
          <Empty>{value === null ? 'Looking…' : 'No block runs.'}</Empty>
        ) : (
          <DataTable
            caption="Running blocks, highest level first"
            rows={running.slice(0, SHOWN)}
            keyOf={({ id, outcome }) => id + outcome}
            columns={[
              {
                title: 'Block',
                cell: ({ outcome, level, scope: on }) => (
                  <span class="held">
                    <OutcomeBadge outcome={outcome} level={level} />
                    <ScopeTag scope={on} />
                  </span>
                ),
              },
              { title: 'Policy', cell: (block) => block.policy, isMinor: true },
              { title: 'Ends in', cell: ({ until }) => <Countdown until={until} /> },
              {
                title: 'Id',
                cell: ({ id }) => <code title={id}>{shortBlock(id)}</code>,
                isHead: true,
                isMinor: true,
              },
              {
                title: 'Act',
                isNumber: true,
                cell: (block) => (
                  <button
                    type="button"
                    class="small"
                    aria-label={`Lift ${outcomeOf(block)} of ${shortBlock(block.id)}`}
                    onClick={() => setLifting(block)}
                  >
                    Lift
                  </button>
                ),
              },
            ]}
          />
        )}
        {running.length > SHOWN ? (
          <Empty>{counted(running.length - SHOWN, 'more block')} not shown.</Empty>
        ) : null}
      </Panel>
      {lifting === null ? null : (
        <NoteDialog
          title="Lift a block"
          action="Lift"
          onClose={() => setLifting(null)}
          onConfirm={(note) => lift(lifting, note)}
        >
          <p>
            Ends the {outcomeOf(lifting)} on <ScopeTag scope={lifting.scope} /> of policy {lifting.policy}{' '}
            now. Scores and remembered levels stay.
          </p>
        </NoteDialog>
      )}
    </>
  );
}

const outcomeOf = ({ outcome }: RunningBlock): string =>
  outcome === 'HARD_BLOCK' ? 'hard block' : 'soft block';

const namesOf = (blocks: readonly RunningBlock[], field: 'policy' | 'scope'): string[] =>
  [...new Set(blocks.map((block) => block[field]))].sort();

interface ChoiceProps {
  readonly label: string;
  readonly value: string;
  readonly choices: readonly string[];
  readonly onChange: (value: string) => void;
  readonly word?: (choice: string) => string;
}

function Choice({ label, value, choices, onChange, word = String }: ChoiceProps) {
  return (
    <label class="choice">
      <span class="unseen">{label}</span>
      <select value={value} onChange={(event) => onChange(event.currentTarget.value)}>
        <option value="">{label}: all</option>
        {choices.map((choice) => (
          <option key={choice} value={choice}>
            {word(choice)}
          </option>
        ))}
      </select>
    </label>
  );
}
