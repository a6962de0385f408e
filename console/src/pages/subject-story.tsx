import { useRef } from 'preact/hooks';
import type { Explanation } from '../api/operating.ts';
import { storeClock } from '../api/service-clock.ts';
import { clockTime } from '../format/time.ts';
import { outcomeWord, ruleWord, scopeWord } from '../format/words.ts';
import { ActButton } from '../parts/act-button.tsx';
import { OutcomeBadge, ScopeTag } from '../parts/badges.tsx';
import { Countdown } from '../parts/countdown.tsx';
import { DataTable } from '../parts/data-table.tsx';
import { Icon } from '../parts/icons.tsx';
import { Empty, Panel } from '../parts/panel.tsx';
import { useScrollFocus } from '../parts/scroll-focus.ts';

type Key = Explanation['keys'][number];
type Moment = Explanation['history'][number];

interface SubjectStoryProps {
  readonly explanation: Explanation;
  /** The subject as it was typed: the fields above may hold another one by now. */
  readonly whom: string;
  readonly onLift: (key: Key) => void;
  readonly onPlace: () => void;
  readonly onAgain: () => void;
}

const tones: Readonly<Record<string, string>> = { ALLOW: 'allow', SOFT_BLOCK: 'soft', HARD_BLOCK: 'hard' };

/** Why a subject is blocked, which events led to it, when it ends. */
export function SubjectStory({ explanation, whom, onLift, onPlace, onAgain }: SubjectStoryProps) {
  const { at, now, policy, keys, words } = explanation;
  return (
    <>
      <Panel
        title={`Now, under the policy ${policy}`}
        aside={
          <>
            <span>As of {clockTime(at, storeClock.now())}</span>
            <button type="button" class="small" onClick={onAgain}>
              Look again
            </button>
            <ActButton isGrave onClick={onPlace}>
              Place a block
            </ActButton>
          </>
        }
      >
        <p class="panel-body whom">{whom}</p>
        {now.mode === 'NORMAL' ? <Verdict now={now} /> : <NotDeciding sentence={words[0] ?? ''} />}
        <div class="panel-body">
          <ReasonList reasons={now.reasons} />
          <details open>
            <summary>In words</summary>
            <ul class="words">
              {words.map((line) => (
                <li key={line}>{line}</li>
              ))}
            </ul>
          </details>
        </div>
      </Panel>
      <div class="columns wide-first">
        <Panel title="Keys">
          {keys.length === 0 ? (
            <Empty>Nothing is known of this subject.</Empty>
          ) : (
            <KeyTable keys={keys} onLift={onLift} />
          )}
        </Panel>
        <Panel title="What led here">
          <History moments={explanation.history} />
        </Panel>
      </div>
      <Facts explanation={explanation} />
    </>
  );
}

function Verdict({ now }: { readonly now: Explanation['now'] }) {
  return (
    <div class={`verdict ${tones[now.outcome] ?? ''}`}>
      <OutcomeBadge outcome={now.outcome} level={now.level} />
      {now.outcome === 'ALLOW' ? (
        <span>Nothing speaks against this subject.</span>
      ) : (
        <Countdown until={now.until} />
      )}
      {now.deferred ? <span>Deferred: right credentials still get in.</span> : null}
    </div>
  );
}

/** While a policy does not decide on its store, what the records give is no verdict. */
function NotDeciding({ sentence }: { readonly sentence: string }) {
  return (
    <div class="verdict soft">
      <Icon name="alert" />
      <strong>{sentence}</strong>
    </div>
  );
}

function ReasonList({ reasons }: { readonly reasons: Explanation['now']['reasons'] }) {
  if (reasons.length === 0) return null;
  return (
    <DataTable
      caption="Why: the rules that speak, and the keys they speak on"
      showsCaption
      rows={reasons}
      keyOf={({ rule, scope }) => rule + scope}
      columns={[
        { title: 'Scope', cell: ({ scope }) => <ScopeTag scope={scope} />, isHead: true },
        {
          title: 'Rule',
          cell: ({ rule }) => (
            <>
              <code>{rule}</code> <span class="faint">{ruleWord(rule)}</span>
            </>
          ),
          isMinor: true,
        },
        {
          title: 'Block',
          cell: ({ outcome, level, until }) => (
            <span class="held">
              <OutcomeBadge outcome={outcome} level={level} />
              <Countdown until={until} />
            </span>
          ),
        },
      ]}
    />
  );
}

function KeyTable({ keys, onLift }: { readonly keys: readonly Key[]; readonly onLift: (key: Key) => void }) {
  return (
    <DataTable
      caption="Keys of this subject and how they stand"
      rows={keys}
      keyOf={({ scope }) => scope}
      columns={[
        { title: 'Scope', cell: ({ scope }) => <ScopeTag scope={scope} />, isHead: true },
        { title: 'Score', cell: ({ score }) => score, isNumber: true, isMinor: true },
        {
          title: 'Remembers',
          cell: ({ rememberedLevel: level }) => (level === 0 ? '–' : `L${level}`),
          isNumber: true,
          isMinor: true,
        },
        {
          title: 'Block',
          cell: ({ hard, soft }) => {
            const held = hard ?? soft;
            if (held === null) return <span class="faint">none</span>;
            return (
              <span class="held">
                <OutcomeBadge outcome={hard === null ? 'SOFT_BLOCK' : 'HARD_BLOCK'} level={held.level} />
                <Countdown until={held.until} />
              </span>
            );
          },
        },
        { title: 'Stops it', cell: ({ stops }) => (stops ? 'yes' : 'no'), isMinor: true },
        {
          title: 'Act',
          isNumber: true,
          isAct: true,
          cell: (key) =>
            key.hard === null && key.soft === null ? (
              ''
            ) : (
              <button
                type="button"
                class="small"
                aria-label={`Lift the block on ${scopeWord(key.scope)}`}
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

const momentWords: Readonly<Record<Moment['what'], string>> = {
  failure: 'Failure noted',
  sighting: 'Seen by a correlation',
  rotation: 'Device rotation fired',
  soft: 'Soft block began',
  hard: 'Hard block began',
};

const SHOWN_MOMENTS = 40;

function History({ moments }: { readonly moments: readonly Moment[] }) {
  const box = useRef<HTMLDivElement>(null);
  useScrollFocus(box, 'What the records remember, newest first');
  if (moments.length === 0) return <Empty>No failure and no block is remembered.</Empty>;
  const now = storeClock.now();
  const newest = moments.slice(-SHOWN_MOMENTS).reverse();
  return (
    <div class="scrolls" ref={box}>
      <ol class="moments">
        {newest.map(({ at, scope, what }, index) => (
          <li key={`${at}-${scope}-${what}-${index}`} class={what}>
            <time dateTime={new Date(at).toISOString()}>{clockTime(at, now)}</time>
            <span>
              {momentWords[what]}, <ScopeTag scope={scope} />
            </span>
          </li>
        ))}
      </ol>
    </div>
  );
}

function Facts({ explanation }: { readonly explanation: Explanation }) {
  const { device, admitted, budget, next } = explanation;
  return (
    <Panel title="Further">
      <div class="panel-body">
        <dl class="facts">
          <dt>Device</dt>
          <dd>
            {device}
            {admitted || device === 'missing' ? '' : '; its network has shown too many new ones lately'}
          </dd>
          <dt>Failure budget</dt>
          <dd>{budget === null ? 'none in this policy' : budgetWords(budget)}</dd>
          <dt>The next {next.op === 'fail' ? 'failure' : 'call'} would give</dt>
          <dd>
            {next.decision.mode === 'NORMAL' ? (
              <OutcomeBadge outcome={next.decision.outcome} level={next.decision.level} />
            ) : (
              `${outcomeWord(next.decision.outcome)}, if the store decided`
            )}
          </dd>
        </dl>
      </div>
    </Panel>
  );
}

function budgetWords({ active, failures, threshold, epochEnds }: NonNullable<Explanation['budget']>): string {
  if (!active || epochEnds === null) return `${failures} of ${threshold} failures`;
  return `used up; starts anew at ${clockTime(epochEnds, storeClock.now())}`;
}
