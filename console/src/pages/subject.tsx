import { useEffect, useRef, useState } from 'preact/hooks';
import { wordsOf } from '../api/client.ts';
import { type Explanation, explainSubject, liftBlock, type SubjectSignals } from '../api/operating.ts';
import { subjectWords } from '../format/subject-words.ts';
import { NoteDialog } from '../parts/note-dialog.tsx';
import { Empty, Panel, Problem } from '../parts/panel.tsx';
import { PlaceBlock } from './place-block.tsx';
import { refusedField, SUBJECT_PROBLEM, SubjectForm } from './subject-form.tsx';
import { SubjectStory } from './subject-story.tsx';

type Key = Explanation['keys'][number];

interface Found {
  readonly signals: SubjectSignals;
  readonly explanation: Explanation;
}

/** One subject's story. What is typed here goes to the service, which hashes it; it is kept nowhere. */
export function SubjectPage() {
  const [found, setFound] = useState<Found | null>(null);
  const [problem, setProblem] = useState<string | null>(null);
  const [lifting, setLifting] = useState<Key | null>(null);
  const [isPlacing, setPlacing] = useState(false);
  const [said, setSaid] = useState('');
  const story = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (lifting === null) return;
    // The button that opened the dialog may have gone with its block, and the focus with it.
    return () => {
      if (document.activeElement === document.body) story.current?.focus();
    };
  }, [lifting]);
  /** Gives what the service says against it. */
  const look = async (signals: SubjectSignals): Promise<string | null> => {
    try {
      setFound({ signals, explanation: await explainSubject(signals) });
      setProblem(null);
      return null;
    } catch (cause) {
      setFound(null);
      setProblem(wordsOf(cause));
      return wordsOf(cause);
    }
  };
  const ask = async (signals: SubjectSignals) => {
    setSaid('');
    const start = refusedField(await look(signals)) ?? story.current;
    start?.focus();
  };
  const clear = () => {
    setFound(null);
    setProblem(null);
    setSaid('');
  };
  const lift = async (key: Key, note: { by: string; why: string }) => {
    const wasRunning = await liftBlock(key.id, note);
    setSaid(wasRunning ? `The block on ${key.scope} is lifted.` : 'The block had already ended.');
    if (found !== null) await look(found.signals);
  };
  return (
    <>
      <div class="page-head">
        <h1>Subject</h1>
        <p>Type who it is about. The service hashes it; it is neither kept nor listed.</p>
      </div>
      <Panel title="Look up">
        <div class="panel-body">
          <SubjectForm problem={problem} onAsk={ask} onClear={clear} />
        </div>
      </Panel>
      <Problem text={problem} id={SUBJECT_PROBLEM} />
      <p role="status" class={said === '' ? 'unseen' : 'notice'}>
        {said}
      </p>
      <div ref={story} tabIndex={-1} class="stack">
        {found === null ? (
          <Panel title="Story">
            <Empty>
              {problem === null
                ? 'Why somebody is blocked, what led to it, when it ends. Nothing has been asked yet.'
                : 'The look-up failed, so nothing is known.'}
            </Empty>
          </Panel>
        ) : (
          <SubjectStory
            explanation={found.explanation}
            whom={subjectWords(found.signals)}
            onLift={setLifting}
            onPlace={() => setPlacing(true)}
            onAgain={() => void look(found.signals)}
          />
        )}
      </div>
      {lifting === null || found === null ? null : (
        <NoteDialog
          title="Lift a block"
          action="Lift"
          onClose={() => setLifting(null)}
          onConfirm={(note) => lift(lifting, note)}
        >
          <p>Ends every block on {lifting.scope} of this subject now. Scores and remembered levels stay.</p>
          <p class="whom">{subjectWords(found.signals)}</p>
        </NoteDialog>
      )}
      {isPlacing && found !== null ? (
        <PlaceBlock
          signals={found.signals}
          hasAccounts={found.explanation.next.op === 'fail'}
          onClose={() => setPlacing(false)}
          onPlaced={async (scope) => {
            setSaid(`A block was placed on ${scope}.`);
            await look(found.signals);
          }}
        />
      ) : null}
    </>
  );
}
