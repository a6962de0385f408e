import { createCell } from '../state/cell.ts';
import { forgetDraft } from './replay-draft.ts';
import type { FromReplay, ReplayResult, ToReplay } from './replay-messages.ts';

/** How a replay stands. */
export type ReplayState =
  | { readonly stage: 'idle' }
  | { readonly stage: 'running'; readonly share: number; readonly events: number }
  | {
      readonly stage: 'done';
      readonly result: ReplayResult;
      readonly durationMs: number;
      readonly fileName: string;
    }
  | { readonly stage: 'refused'; readonly why: string };

/** Kept outside of the page, so that a look at another page does not end a replay. */
export const replayState = createCell<ReplayState>({ stage: 'idle' });

/** Its program is fetched when it is first used; a service that was upgraded meanwhile has another. */
const notStarted =
  'The replay could not be started. If the service was upgraded since this page was opened, load the page again.';

let worker: Worker | null = null;

export function startReplay(order: ToReplay): void {
  endReplay();
  replayState.set({ stage: 'running', share: 0, events: 0 });
  worker = new Worker(new URL('./replay-worker.ts', import.meta.url), { type: 'module' });
  worker.addEventListener('message', (event: MessageEvent<FromReplay>) => receive(event.data, order.file));
  worker.addEventListener('error', () => {
    endReplay();
    replayState.set({ stage: 'refused', why: notStarted });
  });
  worker.postMessage(order);
}

/** Ends a running replay; what it had found is dropped. */
export function endReplay(): void {
  worker?.terminate();
  worker = null;
  replayState.set({ stage: 'idle' });
}

/** Ends and forgets it all, what stands in its form too: the next operator has not chosen that file. */
export function forgetReplay(): void {
  endReplay();
  forgetDraft();
}

function receive(message: FromReplay, file: File): void {
  if (message.kind === 'progress') {
    const share = file.size === 0 ? 1 : message.bytes / file.size;
    replayState.set({ stage: 'running', share, events: message.events });
    return;
  }
  endReplay();
  if (message.kind === 'refused') replayState.set({ stage: 'refused', why: message.why });
  else {
    const { result, durationMs } = message;
    replayState.set({ stage: 'done', result, durationMs, fileName: file.name });
  }
}
