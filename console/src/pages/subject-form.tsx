import { useState } from 'preact/hooks';
import type { SubjectSignals } from '../api/operating.ts';

type Confidence = 'LOW' | 'MEDIUM' | 'HIGH';

const actions = ['auth.login', 'auth.otp', 'api.heavy'] as const;

/** Where a look-up begins; null on other pages. */
export const lookUpField = (): HTMLElement | null => document.getElementById('subject-account');

interface SubjectFormProps {
  readonly onAsk: (signals: SubjectSignals) => Promise<void>;
  readonly onClear: () => void;
}

/** The signals of one subject. Empty fields are left out. */
export function SubjectForm({ onAsk, onClear }: SubjectFormProps) {
  const [isBusy, setBusy] = useState(false);
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
        <Field name="account" label="Account" note="As the host names it to the service" />
        <Field name="ip" label="IP address" isRequired />
        <div class="field">
          <label for="subject-action">Action</label>
          <input id="subject-action" name="action" list="known-actions" defaultValue={actions[0]} required />
          <datalist id="known-actions">
            {actions.map((action) => (
              <option key={action} value={action} />
            ))}
          </datalist>
        </div>
        <Field name="ua" label="User agent" note="Whole; empty if unknown" />
        <Field name="device" label="Device id" />
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
}

function Field({ name, label, note, isRequired = false }: FieldProps) {
  const id = `subject-${name}`;
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
      />
      {note === undefined ? null : <small id={`${id}-note`}>{note}</small>}
    </div>
  );
}

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
