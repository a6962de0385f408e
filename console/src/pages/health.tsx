import { spanText } from '../../../src/core/span-text.ts';
import { decisionsIn, roomsIn, scenariosIn } from '../api/health.ts';
import { nodeClock } from '../api/service-clock.ts';
import { type ServiceStatus, status } from '../api/status.ts';
import { feed } from '../feed/feed-client.ts';
import { count } from '../format/number.ts';
import { clockTime } from '../format/time.ts';
import { modeSentences } from '../format/words.ts';
import { ModeBadge } from '../parts/badges.tsx';
import { DataTable } from '../parts/data-table.tsx';
import { Icon } from '../parts/icons.tsx';
import { Empty, Panel } from '../parts/panel.tsx';
import { useCell } from '../state/cell.ts';
import { EventStream } from './event-stream.tsx';
import { TargetsPanel } from './targets-panel.tsx';

/** How this node stands: modes, store, targets and breakers. */
export function HealthPage() {
  const { value } = useCell(status);
  const notable = useCell(feed, notableOf);
  return (
    <>
      <div class="page-head">
        <h1>Health</h1>
        <p>This node: modes of its policies, its store, targets and breakers.</p>
      </div>
      {value === null ? (
        <Panel title="Modes">
          <Empty>Looking…</Empty>
        </Panel>
      ) : (
        <HealthPanels value={value} />
      )}
      <EventStream lines={notable} />
    </>
  );
}

const notableOf = ({ live }: ReturnType<typeof feed.get>) => live.notable;

function HealthPanels({ value }: { readonly value: ServiceStatus }) {
  const { modes, raw, version, startedAt, store, storeAnswers } = value;
  const now = nodeClock.now();
  return (
    <>
      <div class="columns wide-first">
        <Panel title="Modes">
          <DataTable
            caption="Mode of each policy"
            rows={modes}
            keyOf={({ policy }) => policy}
            columns={[
              { title: 'Policy', cell: ({ policy }) => policy, isHead: true },
              { title: 'Mode', cell: ({ mode }) => <ModeBadge mode={mode} /> },
              { title: 'Since', cell: ({ since }) => (since === null ? '–' : clockTime(since, now)) },
              {
                title: 'Means',
                cell: ({ mode }) =>
                  mode === 'NORMAL' ? 'Decides on the store.' : modeSentences(mode, storeAnswers === true),
                isMinor: true,
              },
            ]}
          />
        </Panel>
        <Panel title="Node">
          <div class="panel-body">
            <dl class="facts">
              <dt>Store</dt>
              <dd>
                {store ?? '?'}{' '}
                {storeAnswers === false ? (
                  <span class="badge hard">
                    <Icon name="alert" />
                    does not answer
                  </span>
                ) : (
                  <span class="badge allow">
                    <Icon name="allow" />
                    answers
                  </span>
                )}
              </dd>
              <dt>Version</dt>
              <dd>{version ?? '?'}</dd>
              <dt>Running for</dt>
              <dd>{startedAt === null ? '?' : spanText(now - startedAt)}</dd>
              <dt>Draining</dt>
              <dd>{raw.draining === true ? 'yes: it ends soon' : 'no'}</dd>
            </dl>
          </div>
        </Panel>
      </div>
      <div class="columns tables">
        <Panel title="Decisions since the start">
          <DecisionCounts value={value} />
        </Panel>
        <Panel title="Scenarios">
          <Scenarios value={value} />
        </Panel>
      </div>
      <Rooms value={value} />
      <TargetsPanel />
    </>
  );
}

function DecisionCounts({ value }: { readonly value: ServiceStatus }) {
  const rows = decisionsIn(value);
  if (rows.length === 0) return <Empty>None yet.</Empty>;
  return (
    <DataTable
      caption="Decisions since the start, by policy"
      rows={rows}
      keyOf={({ policy }) => policy}
      columns={[
        { title: 'Policy', cell: ({ policy }) => policy, isHead: true },
        { title: 'Allowed', cell: ({ ALLOW }) => count(ALLOW), isNumber: true },
        { title: 'Soft', cell: ({ SOFT_BLOCK }) => count(SOFT_BLOCK), isNumber: true },
        { title: 'Hard', cell: ({ HARD_BLOCK }) => count(HARD_BLOCK), isNumber: true },
      ]}
    />
  );
}

function Scenarios({ value }: { readonly value: ServiceStatus }) {
  const rows = scenariosIn(value);
  if (rows === null) return <Empty>Scenarios are off.</Empty>;
  return (
    <DataTable
      caption="Abuse scenarios and what they did since the start"
      rows={rows}
      keyOf={({ name }) => name}
      columns={[
        { title: 'Scenario', cell: ({ name }) => name, isHead: true },
        { title: 'State', cell: ({ state }) => state },
        { title: 'Degraded', cell: ({ degraded }) => count(degraded), isNumber: true },
        { title: 'Blocked', cell: ({ blocked }) => count(blocked), isNumber: true },
        { title: 'Skipped', cell: ({ skipped }) => count(skipped), isNumber: true, isMinor: true },
      ]}
    />
  );
}

/** Other parts of the service, by what they say of themselves. */
function Rooms({ value }: { readonly value: ServiceStatus }) {
  const rooms = roomsIn(value);
  if (rooms.length === 0) return null;
  return (
    <div class="columns">
      {rooms.map(([name, facts]) => (
        <Panel key={name} title={name}>
          <div class="panel-body">
            <dl class="facts">
              {facts.map(([field, text]) => (
                <div key={field} class="fact">
                  <dt>{field}</dt>
                  <dd>{text}</dd>
                </div>
              ))}
            </dl>
          </div>
        </Panel>
      ))}
    </div>
  );
}
