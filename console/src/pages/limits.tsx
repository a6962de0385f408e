import { useMemo } from 'preact/hooks';
import { type GatewayService, type LimitsView, limitsIn, type Rate } from '../api/limits.ts';
import { status } from '../api/status.ts';
import { amount, count, share } from '../format/number.ts';
import { endWord } from '../format/words.ts';
import { BarList } from '../parts/bar-list.tsx';
import { DataTable } from '../parts/data-table.tsx';
import { Empty, Panel } from '../parts/panel.tsx';
import { useCell } from '../state/cell.ts';
import { PinPanel } from './pin-panel.tsx';

/** What routes cost, how fast callers may spend, and what operators have pinned. */
export function LimitsPage() {
  const { value } = useCell(status);
  const limits = useMemo(() => value && limitsIn(value), [value]);
  return (
    <>
      <div class="page-head">
        <h1>Limits</h1>
        <p>What a call costs and how fast a caller may spend.</p>
      </div>
      {limits === null ? (
        <Panel title="Limits">
          <Empty>{value === null ? 'Looking…' : 'This service has no limiter.'}</Empty>
        </Panel>
      ) : (
        <LimitPanels limits={limits} />
      )}
      <PinPanel />
    </>
  );
}

function LimitPanels({ limits }: { readonly limits: LimitsView }) {
  const { signedIn, anonymous, routes, otherCost, services, shadow, counts } = limits;
  const rates: readonly (Rate & { who: string })[] = [
    { who: 'Signed in', ...signedIn },
    { who: 'Anonymous', ...anonymous },
  ];
  const happened = counts.filter(([, number]) => number > 0);
  return (
    <div class="columns wide-first">
      <Panel title="Route costs" aside={<span>First match wins</span>}>
        <DataTable
          caption="What a call costs, by method and path; the first match wins"
          rows={[...routes, { method: null, path: 'anything else', cost: otherCost, isSignIn: false }]}
          keyOf={({ method, path }) => `${method} ${path}`}
          columns={[
            { title: 'Method', cell: ({ method }) => <code>{method ?? 'any'}</code> },
            { title: 'Path', cell: ({ path }) => <code class="typed">{path}</code>, isHead: true },
            { title: 'Sign-in', cell: ({ isSignIn }) => (isSignIn ? 'yes' : ''), isMinor: true },
            { title: 'Cost', cell: ({ cost }) => count(cost), isNumber: true },
          ]}
        />
      </Panel>
      <div class="stack">
        <Panel title="Rates">
          <DataTable
            caption="How fast callers may spend"
            rows={rates}
            keyOf={({ who }) => who}
            columns={[
              { title: 'Caller', cell: ({ who }) => who, isHead: true },
              { title: 'Cost a second', cell: ({ ratePerSecond }) => amount(ratePerSecond), isNumber: true },
              {
                title: 'At once',
                cell: ({ ratePerSecond, burst }) => amount(ratePerSecond * burst),
                isNumber: true,
              },
            ]}
          />
          {shadow.length === 0 ? null : (
            <p class="empty">
              In shadow, decides and tells but never refuses: <code>{shadow.join(', ')}</code>
            </p>
          )}
        </Panel>
        {services.length === 0 ? null : <ServicesPanel services={services} />}
        <Panel title="Since the start">
          {happened.length === 0 ? (
            <Empty>No call has asked this limiter yet.</Empty>
          ) : (
            <BarList caption="Calls since the start, by how they ended" rows={happened} name={endWord} />
          )}
        </Panel>
      </div>
    </div>
  );
}

function ServicesPanel({ services }: { readonly services: readonly GatewayService[] }) {
  return (
    <Panel title="Services" aside={<span>Under pressure buckets fill more slowly</span>}>
      <DataTable
        caption="Services behind the gateway, and the pressure they tell of"
        rows={services}
        keyOf={({ name, path }) => `${name} ${path}`}
        columns={[
          { title: 'Service', cell: ({ name }) => name, isHead: true },
          { title: 'Path', cell: ({ path }) => <code class="typed">{path ?? 'anything else'}</code> },
          { title: 'Pressure', cell: ({ pressure }) => share(pressure, 1), isNumber: true },
        ]}
      />
    </Panel>
  );
}
