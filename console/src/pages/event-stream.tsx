import { nodeClock } from '../api/service-clock.ts';
import { type FeedLine, lineKey } from '../feed/feed-line.ts';
import { eventWords } from '../format/event-words.ts';
import { clockTime } from '../format/time.ts';
import { Empty, Panel } from '../parts/panel.tsx';

const SHOWN = 8;

/** What is rare and matters: modes, breakers, operators' acts. Read out politely as it comes. */
export function EventStream({ lines }: { readonly lines: readonly FeedLine[] }) {
  const shown = lines.slice(0, SHOWN);
  return (
    <Panel title="Events">
      <div aria-live="polite" aria-relevant="additions">
        {shown.length === 0 ? (
          <Empty>Nothing besides decisions yet.</Empty>
        ) : (
          <ol class="moments">
            {shown.map((line) => (
              <li key={lineKey(line)} class="fresh">
                <time dateTime={new Date(line.t).toISOString()}>{clockTime(line.t, nodeClock.now())}</time>
                <span>{eventWords(line)}</span>
              </li>
            ))}
          </ol>
        )}
      </div>
    </Panel>
  );
}
