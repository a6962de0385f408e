import type { ComponentChildren } from 'preact';
import { useRef, useState } from 'preact/hooks';
import { wordsOf } from '../api/client.ts';
import type { Note } from '../api/operating.ts';
import { operatorName } from '../api/session.ts';
import { Dialog } from './dialog.tsx';
import { Problem } from './panel.tsx';

interface NoteDialogProps {
  readonly title: string;
  /** What will happen, in words. */
  readonly children: ComponentChildren;
  readonly action: string;
  /** Rejects with what the service says against it. */
  readonly onConfirm: (note: Note) => Promise<void>;
  readonly onClose: () => void;
}

/** Asks who acts and why, before anything is done. */
export function NoteDialog({ title, children, action, onConfirm, onClose }: NoteDialogProps) {
  const by = useRef<HTMLInputElement>(null);
  const why = useRef<HTMLInputElement>(null);
  const [problem, setProblem] = useState<string | null>(null);
  const [isBusy, setBusy] = useState(false);
  const submit = async (event: Event) => {
    event.preventDefault();
    const note = { by: by.current?.value.trim() ?? '', why: why.current?.value.trim() ?? '' };
    setBusy(true);
    try {
      operatorName.set(note.by);
      await onConfirm(note);
      onClose();
    } catch (cause) {
      setProblem(wordsOf(cause));
      setBusy(false);
    }
  };
  return (
    <Dialog title={title} onClose={onClose}>
      <form onSubmit={(event) => void submit(event)}>
        <div>{children}</div>
        <div class="field">
          <label for="note-by">Who</label>
          <input
            id="note-by"
            ref={by}
            required
            maxLength={500}
            defaultValue={operatorName.get()}
            autocomplete="off"
          />
        </div>
        <div class="field">
          <label for="note-why">Why</label>
          <input id="note-why" ref={why} required maxLength={500} autocomplete="off" />
          <small>Both stand in the audit log. Name nobody in it.</small>
        </div>
        <Problem text={problem} />
        <div class="actions end">
          <button type="button" onClick={onClose}>
            Cancel
          </button>
          <button type="submit" class="primary" disabled={isBusy}>
            {action}
          </button>
        </div>
      </form>
    </Dialog>
  );
}
