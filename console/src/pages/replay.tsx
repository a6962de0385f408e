import { count } from '../format/number.ts';
import { Panel, Problem } from '../parts/panel.tsx';
import { replayState } from '../replay/replay-client.ts';
import { useCell } from '../state/cell.ts';
import { ReplayForm } from './replay-form.tsx';
import { ReplayReport } from './replay-report.tsx';

/** Decides a file as it would have been decided then, in this tab: nothing of it is sent anywhere. */
export function ReplayPage() {
  const state = useCell(replayState);
  return (
    <>
      <div class="page-head">
        <h1>Replay</h1>
        <p>Decides a file of events or a log in this browser. Nothing of it leaves this tab.</p>
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

function Progress({ share, events }: { readonly share: number; readonly events: number }) {
  return (
    <div class="field">
      <label for="replay-progress">{count(events)} events</label>
      <progress id="replay-progress" max={1} value={share} />
    </div>
  );
}
