import { useEffect, useRef, useState } from 'preact/hooks';
import { wordsOf } from '../api/client.ts';
import { firstLook, tryToken } from '../api/status.ts';
import { Mark } from '../parts/icons.tsx';
import { Problem } from '../parts/panel.tsx';

interface SignInProps {
  readonly isAsked: boolean;
  /** Why the service could not be asked; null when it wants a token. */
  readonly why: string | null;
  /** Whether the tab had a token that the service does not take any more. */
  readonly isEnded: boolean;
}

/** Why a text cannot be a token; null when it can. The browser would not even ask with one that no header carries. */
function objectionTo(token: string): string | null {
  if (token === '') return 'Type a token, as it stands in the configuration of the service.';
  if (/[^\x20-\xff]|[\x7f-\x9f]/.test(token))
    return 'This is no token that can be sent: it has letters or quotes that are none of a keyboard’s plain ones. Copy it anew.';
  return null;
}

/** The door. The token stays in this tab and goes nowhere but to the service. */
export function SignIn({ isAsked, why, isEnded }: SignInProps) {
  const [problem, setProblem] = useState<string | null>(null);
  const [isBusy, setBusy] = useState(false);
  const field = useRef<HTMLInputElement>(null);
  useEffect(() => {
    document.title = 'Sign in · Portcullis';
    if (isAsked) field.current?.focus();
  }, [isAsked]);
  const ended = isEnded ? 'The service takes the token of this tab no more.' : null;
  const submit = async (event: Event) => {
    event.preventDefault();
    const token = field.current?.value.trim() ?? '';
    const against = objectionTo(token);
    if (against !== null) {
      setProblem(against);
      field.current?.focus();
      return;
    }
    setBusy(true);
    try {
      await tryToken(token);
    } catch (cause) {
      setProblem(wordsOf(cause));
      setBusy(false);
    }
  };
  return (
    <main class="sign-in">
      <section class="panel" aria-labelledby="sign-in-title">
        <div class="panel-head">
          <Mark />
          <h1 id="sign-in-title">Portcullis</h1>
        </div>
        {isAsked ? (
          <form class="panel-body" onSubmit={(event) => void submit(event)}>
            <div class="field">
              <label for="token">Token</label>
              <input
                id="token"
                ref={field}
                type="password"
                autocomplete="off"
                spellcheck={false}
                aria-describedby="token-note"
              />
              <small id="token-note">
                With the role <code>observe</code> you see; with <code>operate</code> you also lift, place and
                pin. It is kept until this tab closes.
              </small>
            </div>
            <Problem text={problem ?? why ?? ended} />
            <div class="actions">
              <button type="submit" class="primary" disabled={isBusy}>
                {isBusy ? 'Looking…' : 'Sign in'}
              </button>
              {why === null ? null : (
                <button type="button" onClick={() => void firstLook()}>
                  Try again
                </button>
              )}
            </div>
          </form>
        ) : (
          <p class="empty" role="status">
            Asking the service…
          </p>
        )}
      </section>
    </main>
  );
}
