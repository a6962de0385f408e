import { useMemo, useState } from 'preact/hooks';
import { type BlockedKey, type BlockList, blockWords, stillBlocked } from '../api/block-list.ts';
import { liftBlock, readBlocks } from '../api/operating.ts';
import { counted } from '../format/number.ts';
import { scopeWord, shortBlock } from '../format/words.ts';
import { OutcomeBadge, ScopeTag } from '../parts/badges.tsx';
import { Countdown, useStoreNow } from '../parts/countdown.tsx';
import { DataTable } from '../parts/data-table.tsx';
import { NoteDialog } from '../parts/note-dialog.tsx';
import { Empty, Panel, Problem } from '../parts/panel.tsx';
import { useRowFocus } from '../parts/row-focus.ts';
import { useReading } from '../state/reading.ts';

const EVERY_MS = 5_000;
const SHOWN = 200;

/** Every key that is blocked. Their ids are hashes; who is behind one is found by typing the subject. */
export function BlocksPage() {
  const { value, problem, again } = useReading(readBlocks, EVERY_MS);
  const [lifting, setLifting] = useState<BlockedKey | null>(null);
  const [policy, setPolicy] = useState('');
  const [scope, setScope] = useState('');
  const [said, setSaid] = useState('');
  const now = useStoreNow();
  const keys = useMemo(() => value?.keys ?? [], [value]);
  const running = stillBlocked(keys, now);
  const blocked = running.filter(
    (key) => (policy === '' || key.policy === policy) && (scope === '' || key.scope === scope),
  );
  const atLeast = value?.isMore ? 'At least ' : '';
  const shown = blocked.slice(0, SHOWN);
  const { box, actsOn } = useRowFocus(
    shown.map(({ id }) => id),
    lifting !== null,
  );
  const lift = async (key: BlockedKey, note: { by: string; why: string }) => {
    actsOn(key.id);
    const wasRunning = await liftBlock(key.id, note);
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
      {value?.isWhole === false ? (
        <p class="notice" role="status">
          There are too many blocks to look at all of them: some that are as high as these may be missing.
        </p>
      ) : null}
      <div ref={box} tabIndex={-1} class="stack">
        <Panel
          title={value === null ? 'Running blocks' : atLeast + counted(blocked.length, 'blocked key')}
          aside={
            <>
              <Choice
                label="Policy"
                value={policy}
                choices={namesOf(keys, 'policy', policy)}
                onChange={setPolicy}
              />
              <Choice
                label="Scope"
                value={scope}
                choices={namesOf(keys, 'scope', scope)}
                onChange={setScope}
                word={scopeWord}
              />
            </>
          }
        >
          {blocked.length === 0 ? (
            <Empty>{wordsForNone(value, problem, running.length)}</Empty>
          ) : (
            <BlockTable keys={shown} onLift={setLifting} />
          )}
          {blocked.length > SHOWN ? (
            <Empty>
              {atLeast}
              {counted(blocked.length - SHOWN, 'more key')} not shown, of no higher level.
            </Empty>
          ) : null}
        </Panel>
      </div>
      {lifting === null ? null : (
        <NoteDialog
          title="Lift a block"
          action="Lift"
          onClose={() => setLifting(null)}
          onConfirm={(note) => lift(lifting, note)}
        >
          <p>
            Ends every block on this <ScopeTag scope={lifting.scope} /> of policy {lifting.policy} now, hard
            and soft. Scores and remembered levels stay.
          </p>
          <p class="whom">
            Id <code title={lifting.id}>{shortBlock(lifting.id)}</code>
          </p>
        </NoteDialog>
      )}
    </>
  );
}

/**
 * Of a list that is cut off, or could not be read, nobody can say that nothing runs.
 *
 * @param others how many keys are blocked that were not chosen
 */
function wordsForNone(value: BlockList | null, problem: string | null, others: number): string {
  if (value === null) return problem === null ? 'Looking…' : 'Blocks could not be read.';
  if (!value.isWhole) return 'None among the blocks that were looked at; there are too many to look at all.';
  if (value.isMore) return 'None among the highest blocks, which alone are listed.';
  return others > 0 ? 'No such block runs; there are others.' : 'No block runs.';
}

interface BlockTableProps {
  readonly keys: readonly BlockedKey[];
  readonly onLift: (key: BlockedKey) => void;
}

/** A row for a key, because a lift ends all of its blocks. */
function BlockTable({ keys, onLift }: BlockTableProps) {
  return (
    <DataTable
      caption="Running blocks, highest level first"
      rows={keys}
      keyOf={({ id }) => id}
      columns={[
        {
          title: 'Block',
          cell: ({ blocks, scope }) => (
            <span class="held">
              {blocks.map(({ outcome, level }) => (
                <OutcomeBadge key={outcome} outcome={outcome} level={level} />
              ))}
              <ScopeTag scope={scope} />
            </span>
          ),
        },
        { title: 'Policy', cell: ({ policy }) => policy, isMinor: true },
        {
          title: 'Ends in',
          cell: ({ blocks }) => (
            <span class="held">
              {blocks.map(({ outcome, until }) => (
                <Countdown key={outcome} until={until} />
              ))}
            </span>
          ),
        },
        {
          title: 'Id',
          cell: ({ id }) => <code title={id}>{shortBlock(id)}</code>,
          isHead: true,
          isMinor: true,
        },
        {
          title: 'Act',
          isNumber: true,
          isAct: true,
          cell: (key) => (
            <button
              type="button"
              class="small"
              aria-label={`Lift ${blockWords(key)} of ${shortBlock(key.id)}`}
              onClick={() => onLift(key)}
            >
              Lift
            </button>
          ),
        },
      ]}
    />
  );
}

/** What can be chosen; what is chosen stays, also when the last block of it has ended. */
function namesOf(keys: readonly BlockedKey[], field: 'policy' | 'scope', chosen: string): string[] {
  const names = new Set(keys.map((key) => key[field]));
  if (chosen !== '') names.add(chosen);
  return [...names].sort();
}

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
