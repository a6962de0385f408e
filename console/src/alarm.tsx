import { useEffect } from 'preact/hooks';
import { nodeClock } from './api/service-clock.ts';
import { status } from './api/status.ts';
import { feed } from './feed/feed-client.ts';
import { clockTime } from './format/time.ts';
import { faultSentence, modeSentences } from './format/words.ts';
import { Icon } from './parts/icons.tsx';
import { useCell } from './state/cell.ts';

const changes: ReadonlySet<string> = new Set(['mode', 'breaker', 'critical']);

const refused = 'Refused by the service';
const noAnswer = 'No answer from the service';

/**
 * What nobody may overlook: a policy that does not decide as it should, a store that does not answer (policies notice only
 * when somebody asks them), or a service that does not, or not to this token.
 */
export function Alarm() {
  const { value, problem, isRefused } = useCell(status);
  const lastChange = useCell(feed, newestChange);
  useEffect(() => {
    if (lastChange > 0) void status.look();
  }, [lastChange]);
  const odd = value?.modes.filter(({ mode }) => mode !== 'NORMAL') ?? [];
  const isStoreAway = odd.length === 0 && value?.storeAnswers === false;
  if (odd.length === 0 && !isStoreAway && problem === null) return null;
  return (
    <div class="alarm" role="alert" aria-live="assertive">
      <Icon name="alert" />
      <strong>{odd.length > 0 || isStoreAway ? 'Degraded' : isRefused ? refused : noAnswer}</strong>
      <ul>
        {odd.map(({ policy, mode, since, fault }) => (
          <li key={policy}>
            <b>
              {policy}: {mode}
            </b>
            {since === null ? '' : ` since ${clockTime(since, nodeClock.now())}`}. {faultSentence(fault)}
            {modeSentences(mode, value?.storeAnswers === true)}
          </li>
        ))}
        {isStoreAway ? <li>The store does not answer. What is decided now is decided without it.</li> : null}
        {problem === null ? null : <li>{problem} What is shown may be old.</li>}
      </ul>
      <a href="#/health">Health</a>
    </div>
  );
}

/** The number of the newest line that tells of a change of mode; 0 before the first. */
function newestChange({ live }: ReturnType<typeof feed.get>): number {
  return live.notable.find(({ type }) => changes.has(type))?.seq ?? 0;
}
