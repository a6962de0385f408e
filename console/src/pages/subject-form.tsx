import { useState } from 'preact/hooks';
import type { SubjectSignals } from '../api/operating.ts';

type Confidence = 'LOW' | 'MEDIUM' | 'HIGH';

const actions = ['auth.login', 'auth.otp', 'api.heavy'] as const;

const idOf = (name: string): string => `subject-${name}`;

/** Where a look-up begins; null on other pages. */
export const lookUpField = (): HTMLElement | null => document.getElementById(idOf('account'));

/** The id under which the page shows what the service says against a subject. */
export const SUBJECT_PROBLEM = 'subject-problem';

/** The service begins with the name of what it refuses: `ip must be …`. */
const nameOfRefused = (problem: string | null): string | null =>
  /^(account|ip|action|ua|device)(\.\w+)? must /.exec(problem ?? '')?.[1] ?? null;

/** The field that a problem is about; null where it is about none. */
export function refusedField(problem: string | null): HTMLElement | null {
  const name = nameOfRefused(problem);
  return name === null ? null : document.getElementById(idOf(name));
}

interface SubjectFormProps {
  /** What the service said against what was asked. */
  readonly problem: string | null;
  readonly onAsk: (signals: SubjectSignals) => Promise<void>;
  readonly onClear: () => void;
}

/** The signals of one subject. Empty fields are left out. */
export function SubjectForm({ problem, onAsk, onClear }: SubjectFormProps) {
  const [isBusy, setBusy] = useState(false);
  const refused = nameOfRefused(problem);
  const submit = async (event: SubmitEvent) => {
    event.preventDefault();
    if (!(event.currentTarget instanceof HTMLFormElement)) return;
    const signals = signalsOf(new FormData(event.currentTarget));
    setBusy(true);
    await onAsk(signals);
    setBusy(false);
  };
  return (
    <form onSubmit={(event) => void submit(event)} onReset={onClear}>
      <div class="fields">
        <Field name="account" label="Account" note="As the host names it to the service" refused={refused} />
        <Field name="ip" label="IP address" isRequired refused={refused} />
        <div class="field">
          <label for="subject-action">Action</label>
          <input
            id="subject-action"
            name="action"
            list="known-actions"
            defaultValue={actions[0]}
            required
            {...refusal(refused === 'action')}
          />
          <datalist id="known-actions">
            {actions.map((action) => (
              <option key={action} value={action} />
            ))}
          </datalist>
        </div>
        <Field name="ua" label="User agent" note="Whole; empty if unknown" refused={refused} />
        <Field name="device" label="Device id" refused={refused} />
        <div class="field">
          <label for="subject-confidence">Device confidence</label>
          <select id="subject-confidence" name="confidence">
            <option>LOW</option>
            <option selected>MEDIUM</option>
            <option>HIGH</option>
          </select>
        </div>
      </div>
      <div class="actions">
        <button type="submit" class="primary" disabled={isBusy}>
          {isBusy ? 'Looking…' : 'Look up'}
        </button>
        <button type="reset">Clear</button>
      </div>
    </form>
  );
}

interface FieldProps {
  readonly name: string;
  readonly label: string;
  readonly note?: string;
  readonly isRequired?: boolean;
  /** The name of the field that the service refused. */
  readonly refused: string | null;
}

function Field({ name, label, note, isRequired = false, refused }: FieldProps) {
  const id = idOf(name);
  return (
    <div class="field">
      <label for={id}>{label}</label>
      <input
        id={id}
        name={name}
        required={isRequired}
        autocomplete="off"
        autocapitalize="off"
        spellcheck={false}
        {...(note === undefined ? {} : { 'aria-describedby': `${id}-note` })}
        {...refusal(refused === name)}
      />
      {note === undefined ? null : <small id={`${id}-note`}>{note}</small>}
    </div>
  );
}

const refusal = (isRefused: boolean) =>
  isRefused ? { 'aria-invalid': true, 'aria-describedby': SUBJECT_PROBLEM } : {};

function signalsOf(form: FormData): SubjectSignals {
  const text = (name: string) => String(form.get(name) ?? '').trim();
  const account = text('account');
  const ua = text('ua');
  const id = text('device');
  return {
    action: text('action'),
    ip: text('ip'),
    ...(account === '' ? {} : { account }),
    ...(ua === '' ? {} : { ua }),
    ...(id === '' ? {} : { device: { id, confidence: text('confidence') as Confidence } }),
  };
}
