import { useState } from 'preact/hooks';
import { type Note, placeBlock, type SubjectSignals } from '../api/operating.ts';
import { subjectWords } from '../format/subject-words.ts';
import { scopeWord } from '../format/words.ts';
import { NoteDialog } from '../parts/note-dialog.tsx';

const durations = ['15 s', '1 min', '5 min', '30 min', '6 h', '24 h'] as const;

interface PlaceBlockProps {
  readonly signals: SubjectSignals;
  /** Whether the policy of the subject's action counts failures of accounts, and not calls. */
  readonly hasAccounts: boolean;
  readonly onClose: () => void;
  readonly onPlaced: (scope: string) => Promise<void>;
}

/** Places a block on one key of a subject. */
export function PlaceBlock({ signals, hasAccounts, onClose, onPlaced }: PlaceBlockProps) {
  const scopes = scopesOf(signals, hasAccounts);
  const [scope, setScope] = useState(scopes[0] ?? 'K1');
  const [level, setLevel] = useState(4);
  const place = async (note: Note) => {
    await placeBlock(signals, scope, level, note);
    await onPlaced(scope);
  };
  return (
    <NoteDialog title="Place a block" action="Place" onClose={onClose} onConfirm={place}>
      <p class="whom">{subjectWords(signals)}</p>
      <div class="fields">
        <div class="field">
          <label for="place-scope">On</label>
          <select id="place-scope" value={scope} onChange={(event) => setScope(event.currentTarget.value)}>
            {scopes.map((name) => (
              <option key={name} value={name}>
                {name} {scopeWord(name)}
              </option>
            ))}
          </select>
        </div>
        <div class="field">
          <label for="place-level">Level</label>
          <select
            id="place-level"
            value={String(level)}
            onChange={(event) => setLevel(Number(event.currentTarget.value))}
          >
            {durations.map((duration, index) => (
              <option key={duration} value={String(index + 1)}>
                L{index + 1}, by default {duration}
              </option>
            ))}
          </select>
        </div>
      </div>
    </NoteDialog>
  );
}

/** The keys a subject has, by what was typed of it. */
function scopesOf({ account, ip, device }: SubjectSignals, hasAccounts: boolean): string[] {
  const isV6 = ip.includes(':');
  const isAccount = hasAccounts && account !== undefined;
  return [
    ...(isAccount ? ['K4'] : []),
    ...(isAccount && device !== undefined ? ['K5'] : []),
    ...(device === undefined ? [] : ['K3', 'D']),
    'K2',
    'K1',
    ...(isV6 ? ['P48', 'P40'] : []),
  ];
}
