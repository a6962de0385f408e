import { useCallback, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { Alarm } from './alarm.tsx';
import { leave, session } from './api/session.ts';
import { status } from './api/status.ts';
import { feed } from './feed/feed-client.ts';
import type { Link } from './feed/feed-messages.ts';
import { zoneWords } from './format/time.ts';
import { AuditPage } from './pages/audit.tsx';
import { BlocksPage } from './pages/blocks.tsx';
import { HealthPage } from './pages/health.tsx';
import { LimitsPage } from './pages/limits.tsx';
import { LivePage } from './pages/live.tsx';
import { ReplayPage } from './pages/replay.tsx';
import { ShortcutList } from './pages/shortcut-list.tsx';
import { SubjectPage } from './pages/subject.tsx';
import { lookUpField } from './pages/subject-form.tsx';
import { Icon, Mark } from './parts/icons.tsx';
import { useCell } from './state/cell.ts';
import { useMayOperate } from './state/operating.ts';
import { isPaused } from './state/pause.ts';
import { goTo, type PagePath, pages, route } from './state/route.ts';
import { useShortcuts } from './state/shortcuts.ts';
import { nextTheme, theme } from './state/theme.ts';

const views: Readonly<Record<PagePath, () => preact.JSX.Element>> = {
  live: LivePage,
  subject: SubjectPage,
  blocks: BlocksPage,
  limits: LimitsPage,
  health: HealthPage,
  audit: AuditPage,
  replay: ReplayPage,
};

/** Everything around a page. */
export function Shell() {
  const path = useCell(route);
  const [isHelpOpen, setHelpOpen] = useState(false);
  const main = useRef<HTMLElement>(null);
  const isFirst = useRef(true);
  const openHelp = useCallback(() => setHelpOpen(true), []);
  const togglePause = useCallback(() => isPaused.set(!isPaused.get()), []);
  const wantsLookUp = useRef(false);
  const lookUp = useCallback(() => {
    // Where the page is open already nothing is drawn that could move the focus later.
    wantsLookUp.current = route.get() !== 'subject';
    lookUpField()?.focus();
    goTo('subject');
  }, []);
  useShortcuts({ onHelp: openHelp, onTheme: nextTheme, onPause: togglePause, onLookUp: lookUp });
  // Together with the page, not some time after it: a key that is pressed in between would be heard where the focus was.
  useLayoutEffect(() => {
    document.title = `${pages.find((page) => page.path === path)?.title ?? ''} · Portcullis`;
    // After a change of page the focus is at its start, as after loading one.
    const start = (wantsLookUp.current ? lookUpField() : null) ?? main.current;
    if (!isFirst.current) start?.focus();
    isFirst.current = false;
    wantsLookUp.current = false;
  }, [path]);
  const View = views[path];
  return (
    <div class="shell">
      <button type="button" class="skip unseen" onClick={() => main.current?.focus()}>
        Skip to content
      </button>
      <TopBar onHelp={openHelp} />
      <Alarm />
      <Navigation path={path} />
      <main class="main" id="main" tabIndex={-1} ref={main}>
        <View />
        {path === 'replay' ? null : (
          <p class="faint">Times are those of this browser: {zoneWords(Date.now())}.</p>
        )}
      </main>
      {isHelpOpen ? <ShortcutList onClose={() => setHelpOpen(false)} /> : null}
    </div>
  );
}

function Navigation({ path }: { readonly path: PagePath }) {
  return (
    <nav class="nav" aria-label="Pages">
      <ul>
        {pages.map((page) => (
          <li key={page.path}>
            <a href={`#/${page.path}`} aria-current={page.path === path ? 'page' : undefined}>
              <Icon name={page.icon} />
              {page.title}
            </a>
          </li>
        ))}
      </ul>
    </nav>
  );
}

const linkWords: Readonly<Record<Link, string>> = {
  connecting: 'Connecting',
  open: 'Live',
  waiting: 'Reconnecting',
  refused: 'No live feed',
};

const themeWords = { auto: 'as the system', dark: 'dark', light: 'light' } as const;
const themeIcons = { auto: 'auto', dark: 'moon', light: 'sun' } as const;

function TopBar({ onHelp }: { readonly onHelp: () => void }) {
  const link = useCell(feed, linkOf);
  const environment = useCell(status, environmentOf);
  const mayOperate = useMayOperate();
  const shade = useCell(theme);
  const { token } = useCell(session);
  return (
    <header class="bar">
      <span class="brand">
        <Mark /> <span class="brand-word">Portcullis</span>
      </span>
      {environment ? <span class="environment">{environment}</span> : null}
      {mayOperate ? null : <span class="looking">looking only</span>}
      <div class="bar-end">
        <span class={`link-state ${link}`} role="status">
          {linkWords[link]}
        </span>
        <button
          type="button"
          class="plain icon-only"
          title="Theme (t)"
          aria-label={`Theme: ${themeWords[shade]}`}
          onClick={nextTheme}
        >
          <Icon name={themeIcons[shade]} />
        </button>
        <button
          type="button"
          class="plain icon-only for-keys"
          title="Shortcuts (?)"
          aria-label="Keyboard shortcuts"
          onClick={onHelp}
        >
          <Icon name="help" />
        </button>
        {token === null ? null : (
          <button
            type="button"
            class="plain icon-only"
            title="Sign out"
            aria-label="Sign out"
            onClick={leave}
          >
            <Icon name="leave" />
          </button>
        )}
      </div>
    </header>
  );
}

const linkOf = ({ link }: { readonly link: Link }) => link;
const environmentOf = (view: ReturnType<typeof status.get>) => view.value?.environment ?? null;
