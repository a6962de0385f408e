import { useEffect } from 'preact/hooks';
import { session } from './api/session.ts';
import { firstLook, status } from './api/status.ts';
import { startFeed, stopFeed } from './feed/feed-client.ts';
import { SignIn } from './pages/sign-in.tsx';
import { forgetReplay } from './replay/replay-client.ts';
import { Shell } from './shell.tsx';
import { useCell } from './state/cell.ts';
import { isPaused } from './state/pause.ts';

/** How often a service that could not be asked is asked again. */
const AGAIN_EVERY_MS = 5_000;

/** Asks for a token only when the service does; on loopback without tokens it does not. */
export function App() {
  const { stage, token, why, isEnded } = useCell(session);
  useEffect(() => {
    if (stage === 'unknown') void firstLook();
  }, [stage]);
  const isUnanswered = stage === 'asked' && why !== null;
  useEffect(() => {
    if (!isUnanswered) return;
    const timer = setInterval(() => void firstLook(), AGAIN_EVERY_MS);
    return () => clearInterval(timer);
  }, [isUnanswered]);
  useEffect(() => {
    if (stage !== 'in') return;
    startFeed(token);
    const stopStatus = status.follow();
    return () => {
      stopStatus();
      stopFeed();
      // However it ended: what this operator looked at is not for the next one.
      forgetReplay();
      isPaused.set(false);
    };
  }, [stage, token]);
  if (stage === 'in') return <Shell />;
  return <SignIn isAsked={stage === 'asked'} why={why} isEnded={isEnded} />;
}
