import { useRef, useState } from 'preact/hooks';
import type { LogChoices } from '../replay/log-choices.ts';
import { endReplay, startReplay } from '../replay/replay-client.ts';
import type { ToReplay } from '../replay/replay-messages.ts';

const example = `policies:
  login:
    score:
      softFrom: 5
      hardFrom: 8`;

const formats: readonly (readonly [name: ToReplay['format'], title: string])[] = [
  ['detect', 'Recognise it'],
  ['events', 'Events, one JSON object a line'],
  ['nginx', 'Access log of nginx'],
  ['apache', 'Access log of Apache'],
  ['json', 'Access log of JSON objects'],
  ['sshd', 'System log with lines of OpenSSH'],
  ['kratos', 'Log of Ory Kratos'],
];

/** What is replayed, and by what. */
export function ReplayForm({ isRunning }: { readonly isRunning: boolean }) {
  const form = useRef<HTMLFormElement>(null);
  const [compares, setCompares] = useState(false);
  const [format, setFormat] = useState<ToReplay['format']>('detect');
  const submit = (event: Event) => {
    event.preventDefault();
    const order = form.current === null ? null : orderOf(form.current, format, compares);
    if (order !== null) startReplay(order);
  };
  return (
    <form ref={form} onSubmit={submit}>
      <div class="fields two">
        <div class="field">
          <label for="replay-file">Event file or log</label>
          <input id="replay-file" name="file" type="file" required aria-describedby="replay-note" />
          <small id="replay-note">
            What <code>portcullis replay</code> takes: events, access logs, logs of OpenSSH and Kratos; packed
            with gzip as well.
          </small>
        </div>
        <FormatField format={format} onChange={setFormat} />
      </div>
      {format === 'events' ? null : <LogFields />}
      <label class="tick">
        <input
          type="checkbox"
          checked={compares}
          onChange={(event) => setCompares(event.currentTarget.checked)}
        />{' '}
        Compare two policies
      </label>
      <div class="fields two">
        <PolicyField name="policyA" title={compares ? 'Policy A' : 'Policy'} />
        {compares ? <PolicyField name="policyB" title="Policy B" /> : null}
      </div>
      <div class="actions">
        <button type="submit" class="primary" disabled={isRunning}>
          {compares ? 'Compare' : 'Replay'}
        </button>
        {isRunning ? (
          <button type="button" onClick={endReplay}>
            Cancel
          </button>
        ) : null}
      </div>
    </form>
  );
}

interface FormatFieldProps {
  readonly format: ToReplay['format'];
  readonly onChange: (format: ToReplay['format']) => void;
}

function FormatField({ format, onChange }: FormatFieldProps) {
  const choose = (name: string) => {
    const [chosen = 'detect'] = formats.find(([known]) => known === name) ?? [];
    onChange(chosen);
  };
  return (
    <div class="field">
      <label for="replay-format">Format</label>
      <select id="replay-format" value={format} onChange={(event) => choose(event.currentTarget.value)}>
        {formats.map(([name, title]) => (
          <option key={name} value={name}>
            {title}
          </option>
        ))}
      </select>
    </div>
  );
}

const logFields: readonly (readonly [name: keyof LogChoices, title: string, hint: string])[] = [
  ['login', 'Login routes', 'POST /login'],
  ['loginFails', 'Answers that mean a failed login', '400,401,403,422'],
  ['timeZone', 'Time zone, where times name none', 'UTC'],
  ['year', 'Year of the first line, where times have none', 'the newest possible'],
  ['trustedProxy', 'Proxies whose X-Forwarded-For counts', '10.0.0.0/8'],
];

/** What a log leaves out. */
function LogFields() {
  return (
    <details>
      <summary>What a log leaves out</summary>
      <div class="fields two">
        {logFields.map(([name, title, hint]) => (
          <div key={name} class="field">
            <label for={`replay-${name}`}>{title}</label>
            <input id={`replay-${name}`} name={name} type="text" placeholder={hint} autocomplete="off" />
          </div>
        ))}
      </div>
    </details>
  );
}

function PolicyField({ name, title }: { readonly name: string; readonly title: string }) {
  return (
    <div class="field">
      <label for={name}>{title} (YAML or JSON; empty: built in)</label>
      <textarea id={name} name={name} spellcheck={false} placeholder={example} />
    </div>
  );
}

/** What the form says; null without a file. */
function orderOf(form: HTMLFormElement, format: ToReplay['format'], compares: boolean): ToReplay | null {
  const data = new FormData(form);
  const file = data.get('file');
  if (!(file instanceof File)) return null;
  const textOf = (name: string): string => {
    const value = data.get(name);
    return typeof value === 'string' ? value : '';
  };
  return {
    file,
    format,
    choices: {
      login: textOf('login'),
      loginFails: textOf('loginFails'),
      timeZone: textOf('timeZone'),
      year: textOf('year'),
      trustedProxy: textOf('trustedProxy'),
    },
    policyA: textOf('policyA'),
    policyB: compares ? textOf('policyB') : null,
  };
}
