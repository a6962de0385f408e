import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import type { LogChoices } from '../replay/log-choices.ts';
import { endReplay, startReplay } from '../replay/replay-client.ts';
import { changeDraft, orderOf, replayDraft } from '../replay/replay-draft.ts';
import type { ToReplay } from '../replay/replay-messages.ts';
import { useCell } from '../state/cell.ts';

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
  const draft = useCell(replayDraft);
  const { format, choices, compares } = draft;
  const submit = (event: Event) => {
    event.preventDefault();
    const order = orderOf(replayDraft.get());
    if (order !== null) startReplay(order);
  };
  return (
    <form onSubmit={submit}>
      <div class="fields two">
        <FileField />
        <FormatField format={format} onChange={(chosen) => changeDraft({ format: chosen })} />
      </div>
      {format === 'events' ? null : (
        <LogFields choices={choices} onChange={(changed) => changeDraft({ choices: changed })} />
      )}
      <label class="tick">
        <input
          type="checkbox"
          checked={compares}
          onChange={(event) => changeDraft({ compares: event.currentTarget.checked })}
        />{' '}
        Compare two policies
      </label>
      <div class="fields two">
        <PolicyField
          name="policyA"
          title={compares ? 'Policy A' : 'Policy'}
          text={draft.policyA}
          onChange={(policyA) => changeDraft({ policyA })}
        />
        {compares ? (
          <PolicyField
            name="policyB"
            title="Policy B"
            text={draft.policyB}
            onChange={(policyB) => changeDraft({ policyB })}
          />
        ) : null}
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

/** The browser's own field for a file, which is given back what had been chosen when it is drawn anew. */
function FileField() {
  const input = useRef<HTMLInputElement>(null);
  useLayoutEffect(() => {
    const { file } = replayDraft.get();
    if (input.current === null || file === null) return;
    const chosen = new DataTransfer();
    chosen.items.add(file);
    input.current.files = chosen.files;
  }, []);
  return (
    <div class="field">
      <label for="replay-file">Event file or log</label>
      <input
        id="replay-file"
        type="file"
        required
        aria-describedby="replay-note"
        ref={input}
        onChange={(event) => changeDraft({ file: event.currentTarget.files?.item(0) ?? null })}
      />
      <small id="replay-note">
        What <code>portcullis replay</code> takes: events, access logs, logs of OpenSSH and Kratos; packed
        with gzip as well.
      </small>
    </div>
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

interface LogFieldsProps {
  readonly choices: LogChoices;
  readonly onChange: (choices: LogChoices) => void;
}

/** What a log leaves out. */
function LogFields({ choices, onChange }: LogFieldsProps) {
  // What was said is in sight; what is opened and closed later is up to who does it.
  const [isOpen] = useState(() => Object.values(choices).some((text) => text !== ''));
  return (
    <details open={isOpen}>
      <summary>What a log leaves out</summary>
      <div class="fields two">
        {logFields.map(([name, title, hint]) => (
          <div key={name} class="field">
            <label for={`replay-${name}`}>{title}</label>
            <input
              id={`replay-${name}`}
              type="text"
              placeholder={hint}
              autocomplete="off"
              value={choices[name]}
              onInput={(event) => onChange({ ...choices, [name]: event.currentTarget.value })}
            />
          </div>
        ))}
      </div>
    </details>
  );
}

interface PolicyFieldProps {
  readonly name: string;
  readonly title: string;
  readonly text: string;
  readonly onChange: (text: string) => void;
}

function PolicyField({ name, title, text, onChange }: PolicyFieldProps) {
  return (
    <div class="field">
      <label for={name}>{title} (YAML or JSON; empty: built in)</label>
      <textarea
        id={name}
        spellcheck={false}
        placeholder={example}
        value={text}
        onInput={(event) => onChange(event.currentTarget.value)}
      />
    </div>
  );
}
