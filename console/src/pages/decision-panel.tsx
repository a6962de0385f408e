import { useEffect, useMemo, useState } from 'preact/hooks';
import { nodeClock } from '../api/service-clock.ts';
import { decisionOf, type FeedLine, lineKey, type ShownDecision, textOf } from '../feed/feed-line.ts';
import { clockTime } from '../format/time.ts';
import { OutcomeBadge, ScopeTag } from '../parts/badges.tsx';
import { DataTable } from '../parts/data-table.tsx';
import { Icon } from '../parts/icons.tsx';
import { Empty, Panel } from '../parts/panel.tsx';
import { useCell } from '../state/cell.ts';
import { isPaused } from '../state/pause.ts';

/** The newest decisions; they stand still while somebody reads. */
export function DecisionPanel({ lines }: { readonly lines: readonly FeedLine[] }) {
  const paused = useCell(isPaused);
  const [onlyDenials, setOnlyDenials] = useState(false);
  const [shown, setShown] = useState(lines);
  useEffect(() => {
    if (!paused) setShown(lines);
  }, [paused, lines]);
  const rows = useMemo(
    () =>
      shown
        .flatMap((line) => {
          const decision = decisionOf(line);
          return decision === null ? [] : [{ line, decision }];
        })
        .filter(({ decision }) => !onlyDenials || decision.outcome !== 'ALLOW')
        .slice(0, 60),
    [shown, onlyDenials],
  );
  return (
    <Panel
      title="Decisions"
      aside={
        <>
          <button
            type="button"
            class="small"
            aria-pressed={onlyDenials}
            onClick={() => setOnlyDenials(!onlyDenials)}
          >
            Denials only
          </button>
          <button type="button" class="small" aria-pressed={paused} onClick={() => isPaused.set(!paused)}>
            <Icon name={paused ? 'play' : 'pause'} />
            {paused ? 'Paused' : 'Pause'}
          </button>
        </>
      }
    >
      {rows.length === 0 ? (
        <NoDecisions isChosen={onlyDenials && shown.length > 0} isStill={paused} />
      ) : (
        <DataTable
          caption="Decisions, newest first"
          isTall
          rows={rows}
          keyOf={({ line }) => lineKey(line)}
          columns={[
            { title: 'Time', cell: ({ line }) => clockTime(line.t, nodeClock.now()) },
            {
              title: 'Outcome',
              cell: ({ decision }) => <OutcomeBadge outcome={decision.outcome} level={decision.level} />,
            },
            { title: 'Operation', cell: ({ line }) => textOf(line.op) ?? '–', isMinor: true },
            { title: 'Action', cell: ({ line }) => <code>{textOf(line.action) ?? '–'}</code>, isMinor: true },
            { title: 'Why', cell: ({ decision }) => <Why decision={decision} /> },
            {
              title: 'Mode',
              cell: ({ decision }) => (decision.mode === 'NORMAL' ? '' : <b>{decision.mode}</b>),
              isMinor: true,
            },
          ]}
        />
      )}
    </Panel>
  );
}

interface NoDecisionsProps {
  /** Whether there are decisions, and none of those that were asked for. */
  readonly isChosen: boolean;
  /** Whether the list stands still: then there may be some that are not shown. */
  readonly isStill: boolean;
}

function NoDecisions({ isChosen, isStill }: NoDecisionsProps) {
  if (isChosen) return <Empty>No denial among the latest decisions.</Empty>;
  if (isStill) return <Empty>Paused before the first decision came.</Empty>;
  return (
    <Empty>
      No decisions yet. They appear when somebody asks <code>POST /v1/check</code>, <code>/v1/fail</code> or{' '}
      <code>/v1/succeed</code>.
    </Empty>
  );
}

function Why({ decision }: { readonly decision: ShownDecision }) {
  const { rule, scope, shadow } = decision;
  if (rule === null && shadow.length === 0) return <span class="faint">–</span>;
  return (
    <span class="held">
      {rule === null ? null : (
        <>
          <code>{rule}</code>
          <ScopeTag scope={scope} />
        </>
      )}
      {shadow.length === 0 ? null : (
        <span class="faint">
          in shadow: {shadow.map((reason) => `${reason.rule} ${reason.scope}`).join(', ')}
        </span>
      )}
    </span>
  );
}
