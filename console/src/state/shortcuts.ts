import { useEffect } from 'preact/hooks';
import { goTo, pages } from './route.ts';

interface Shortcuts {
  readonly onHelp: () => void;
  readonly onTheme: () => void;
  readonly onPause: () => void;
  readonly onLookUp: () => void;
}

const SECOND_KEY_MS = 1_500;

/** Single keys work only where nobody types, and never with a modifier: those belong to the browser. */
export function useShortcuts({ onHelp, onTheme, onPause, onLookUp }: Shortcuts): void {
  useEffect(() => {
    let goUntil = 0;
    const press = (event: KeyboardEvent) => {
      if (event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target)) return;
      const page = event.timeStamp < goUntil ? pages.find(({ key }) => key === event.key) : undefined;
      goUntil = event.key === 'g' ? event.timeStamp + SECOND_KEY_MS : 0;
      if (page !== undefined) goTo(page.path);
      else if (event.key === '?') onHelp();
      else if (event.key === 't') onTheme();
      else if (event.key === 'p') onPause();
      else if (event.key === '/') onLookUp();
      else return;
      event.preventDefault();
    };
    addEventListener('keydown', press);
    return () => removeEventListener('keydown', press);
  }, [onHelp, onTheme, onPause, onLookUp]);
}

function isTyping(target: EventTarget | null): boolean {
  if (!(target instanceof HTMLElement)) return false;
  return target.closest('input, textarea, select, [contenteditable], dialog') !== null;
}
