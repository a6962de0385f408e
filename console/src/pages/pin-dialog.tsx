import { useState } from 'preact/hooks';
import { rules } from '../../../src/core/decision.ts';
import { DAY_MS, HOUR_MS } from '../../../src/core/duration.ts';
import { type PinForm, type PinKind, pinKinds } from '../api/pin-order.ts';
import { putPin } from '../api/pins.ts';
import { type ServiceStatus, status } from '../api/status.ts';
import { isObject, textOf } from '../feed/feed-line.ts';
import { ruleWord } from '../format/words.ts';
import { NoteDialog } from '../parts/note-dialog.tsx';
import { useCell } from '../state/cell.ts';

const spans = [
  { name: '15 minutes', ms: HOUR_MS / 4 },
  { name: '1 hour', ms: HOUR_MS },
  { name: '6 hours', ms: 6 * HOUR_MS },
  { name: '1 day', ms: DAY_MS },
  { name: '7 days', ms: 7 * DAY_MS },
] as const;

/** Rules that say what is so cannot be put into shadow. */
const shadowable = rules.filter((rule) => !['blocked', 'degraded', 'store'].includes(rule));

interface PinDialogProps {
  readonly onClose: () => void;
  readonly onPinned: () => void;
}

/** Holds something in place for a time. */
export function PinDialog({ onClose, onPinned }: PinDialogProps) {
  const { value } = useCell(status);
  const policies = namesIn(value, 'policies');
  const scenarios = scenariosIn(value);
  const [form, setForm] = useState<PinForm>({
    kind: 'anonymous',
    ratePerSecond: 1,
    whom: '',
    policy: policies[0] ?? 'login',
    mode: 'caps',
    scenario: scenarios[0] ?? '',
    rule: shadowable[0] ?? 'score',
    forMs: HOUR_MS,
  });
  const kinds = pinKinds.filter(({ kind }) => kind !== 'scenario' || scenarios.length > 0);
  const change = (part: Partial<PinForm>) => setForm({ ...form, ...part });
  return (
    <NoteDialog
      title="Pin for a time"
      action="Pin"
      onClose={onClose}
      onConfirm={async (note) => {
        await putPin(form, note);
        onPinned();
      }}
    >
      <div class="fields">
        <Select
          label="What"
          value={form.kind}
          choices={kinds.map(({ kind, title }) => [kind, title])}
          onChange={(kind) => change({ kind: kind as PinKind })}
        />
        <PinFields form={form} change={change} policies={policies} scenarios={scenarios} />
        <Select
          label="For"
          value={String(form.forMs)}
          choices={spans.map(({ name, ms }) => [String(ms), name])}
          onChange={(ms) => change({ forMs: Number(ms) })}
        />
      </div>
    </NoteDialog>
  );
}

interface PinFieldsProps {
  readonly form: PinForm;
  readonly change: (part: Partial<PinForm>) => void;
  readonly policies: readonly string[];
  readonly scenarios: readonly string[];
}

function PinFields({ form, change, policies, scenarios }: PinFieldsProps) {
  const { kind } = form;
  const policy = (
    <Select
      label="Policy"
      value={form.policy}
      choices={policies.map((name) => [name, name])}
      onChange={(name) => change({ policy: name })}
    />
  );
  if (kind === 'failure')
    return (
      <>
        {policy}
        <Select
          label="Without the store"
          value={form.mode}
          choices={[
            ['caps', 'decides by local caps'],
            ['closed', 'refuses everybody'],
          ]}
          onChange={(mode) => change({ mode: mode === 'closed' ? 'closed' : 'caps' })}
        />
      </>
    );
  if (kind === 'scenario')
    return (
      <Select
        label="Scenario"
        value={form.scenario}
        choices={scenarios.map((name) => [name, name])}
        onChange={(scenario) => change({ scenario })}
      />
    );
  if (kind === 'shadow')
    return (
      <>
        {policy}
        <Select
          label="Rule"
          value={form.rule}
          choices={shadowable.map((rule) => [rule, `${rule}: ${ruleWord(rule)}`])}
          onChange={(rule) => change({ rule })}
        />
      </>
    );
  return <LimitFields form={form} change={change} />;
}

function LimitFields({ form, change }: Pick<PinFieldsProps, 'form' | 'change'>) {
  const { kind, whom, ratePerSecond } = form;
  return (
    <>
      {kind === 'user' || kind === 'network' ? (
        <div class="field">
          <label for="pin-whom">{kind === 'user' ? 'User' : 'IP address'}</label>
          <input
            id="pin-whom"
            required
            autocomplete="off"
            value={whom}
            onInput={(event) => change({ whom: event.currentTarget.value })}
          />
          <small>Hashed by the service, kept nowhere</small>
        </div>
      ) : null}
      <div class="field">
        <label for="pin-rate">Cost a second</label>
        <input
          id="pin-rate"
          type="number"
          required
          min={0.001}
          max={100_000}
          step="any"
          value={String(ratePerSecond)}
          onInput={(event) => change({ ratePerSecond: event.currentTarget.valueAsNumber || 0 })}
        />
      </div>
    </>
  );
}

interface SelectProps {
  readonly label: string;
  readonly value: string;
  readonly choices: readonly (readonly [string, string])[];
  readonly onChange: (value: string) => void;
}

function Select({ label, value, choices, onChange }: SelectProps) {
  const id = `pin-${label.toLowerCase().replaceAll(' ', '-')}`;
  return (
    <div class="field">
      <label for={id}>{label}</label>
      <select id={id} value={value} onChange={(event) => onChange(event.currentTarget.value)}>
        {choices.map(([name, title]) => (
          <option key={name} value={name}>
            {title}
          </option>
        ))}
      </select>
    </div>
  );
}

function namesIn(value: ServiceStatus | null, field: string): string[] {
  const list = value?.raw[field];
  return Array.isArray(list) ? list.flatMap((item) => (isObject(item) ? (textOf(item.name) ?? []) : [])) : [];
}

function scenariosIn(value: ServiceStatus | null): string[] {
  const scenarios = value?.raw.scenarios;
  const names = isObject(scenarios) ? scenarios.names : [];
  return Array.isArray(names) ? names.filter((name) => typeof name === 'string') : [];
}
