import { useRef, useState } from 'preact/hooks';
import { count } from '../format/number.ts';
import { Panel, Problem } from '../parts/panel.tsx';
import { endReplay, replayState, startReplay } from '../replay/replay-client.ts';
import { useCell } from '../state/cell.ts';
import { ReplayReport } from './replay-report.tsx';

const example = `policies:
  login:
    score:
      softFrom: 5
      hardFrom: 8`;

/** Decides a file as it would have been decided then, in this tab: nothing of it is sent anywhere. */
export function ReplayPage() {
  const state = useCell(replayState);
  return (
    <>
      <div class="page-head">
        <h1>Replay</h1>
        <p>Decides a file of events in this browser. Nothing of it leaves this tab.</p>
      </div>
      <Panel title="File and policies">
        <div class="panel-body">
          <ReplayForm isRunning={state.stage === 'running'} />
          {state.stage === 'running' ? <Progress share={state.share} events={state.events} /> : null}
        </div>
      </Panel>
      <Problem text={state.stage === 'refused' ? state.why : null} />
      {state.stage === 'done' ? (
        <ReplayReport result={state.result} durationMs={state.durationMs} fileName={state.fileName} />
      ) : null}
    </>
  );
}

function ReplayForm({ isRunning }: { readonly isRunning: boolean }) {
  const file = useRef<HTMLInputElement>(null);
  const policyA = useRef<HTMLTextAreaElement>(null);
  const policyB = useRef<HTMLTextAreaElement>(null);
  const [compares, setCompares] = useState(false);
  const submit = (event: Event) => {
    event.preventDefault();
    const chosen = file.current?.files?.[0];
    if (chosen === undefined) return;
    startReplay({
      file: chosen,
      policyA: policyA.current?.value ?? '',
      policyB: compares ? (policyB.current?.value ?? '') : null,
    });
  };
  return (
    <form onSubmit={submit}>
      <div class="field">
        <label for="replay-file">Event file</label>
        <input
          id="replay-file"
          ref={file}
          type="file"
          accept=".jsonl,.json,.ndjson,.gz,.txt,.log"
          required
          aria-describedby="replay-note"
        />
        <small id="replay-note">
          One JSON event a line, as for <code>portcullis replay</code>; packed with gzip as well.
        </small>
      </div>
      <label class="tick">
        <input
          type="checkbox"
          checked={compares}
          onChange={(event) => setCompares(event.currentTarget.checked)}
        />{' '}
        Compare two policies
      </label>
      <div class="fields two">
        <div class="field">
          <label for="policy-a">{compares ? 'Policy A' : 'Policy'} (YAML or JSON; empty: built in)</label>
          <textarea id="policy-a" ref={policyA} spellcheck={false} placeholder={example} />
        </div>
        {compares ? (
          <div class="field">
            <label for="policy-b">Policy B (YAML or JSON; empty: built in)</label>
            <textarea id="policy-b" ref={policyB} spellcheck={false} placeholder={example} />
          </div>
        ) : null}
      </div>
      <div class="actions">
        <button type="submit" class="primary" disabled={isRunning}>
          {compares ? 'Compare' : 'Replay'}
        </button>
        {isRunning ? (
          <button type="button" onClick={endReplay}>
            Cancel
          </button>
        ) : null}
      </div>
    </form>
  );
}

function Progress({ share, events }: { readonly share: number; readonly events: number }) {
  return (
    <div class="field">
      <label for="replay-progress">{count(events)} events</label>
      <progress id="replay-progress" max={1} value={share} />
    </div>
  );
}
