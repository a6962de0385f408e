import { nodeClock } from '../api/service-clock.ts';
import { type FeedLine, isObject, lineKey, numberOf, textOf } from '../feed/feed-line.ts';
import { clockTime } from '../format/time.ts';
import { OutcomeBadge, ScopeTag } from '../parts/badges.tsx';
import { Empty, Panel } from '../parts/panel.tsx';

const SHOWN = 8;

interface PlacedBlock {
  readonly key: string;
  readonly t: number;
  readonly rule: string;
  readonly scope: string;
  readonly level: number;
}

/** Hard blocks as they are placed. */
export function NewBlocks({ lines }: { readonly lines: readonly FeedLine[] }) {
  const placed = lines.slice(0, SHOWN).flatMap(placedBy).slice(0, SHOWN);
  return (
    <Panel title="New blocks" aside={<a href="#/blocks">All blocks</a>}>
      {placed.length === 0 ? (
        <Empty>No block was placed while this page was open.</Empty>
      ) : (
        <ol class="moments">
          {placed.map(({ key, t, rule, scope, level }) => (
            <li key={key} class="fresh">
              <time dateTime={new Date(t).toISOString()}>{clockTime(t, nodeClock.now())}</time>
              <span class="moment">
                <OutcomeBadge outcome="HARD_BLOCK" level={level} /> <ScopeTag scope={scope} />{' '}
                <code>{rule}</code>
              </span>
            </li>
          ))}
        </ol>
      )}
    </Panel>
  );
}

function placedBy(line: FeedLine): PlacedBlock[] {
  const { reasons } = line;
  if (!Array.isArray(reasons)) return [];
  return reasons.filter(isObject).map((reason) => {
    const rule = textOf(reason.rule) ?? '?';
    const scope = textOf(reason.scope) ?? '?';
    return {
      key: `${lineKey(line)}-${rule}-${scope}`,
      t: line.t,
      rule,
      scope,
      level: numberOf(reason.level),
    };
  });
}
