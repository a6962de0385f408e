import { createCell } from './cell.ts';

export type Theme = 'auto' | 'dark' | 'light';

const THEME_ITEM = 'portcullis.theme';
const themes: readonly Theme[] = ['auto', 'dark', 'light'];

function storedTheme(): Theme {
  const stored = localStorage.getItem(THEME_ITEM);
  return themes.find((known) => known === stored) ?? 'auto';
}

/** The operator's choice; `auto` follows the system. */
export const theme = createCell<Theme>(storedTheme());

export function applyTheme(): void {
  document.documentElement.dataset.theme = theme.get();
}

export function nextTheme(): void {
  const next = themes[(themes.indexOf(theme.get()) + 1) % themes.length] ?? 'auto';
  localStorage.setItem(THEME_ITEM, next);
  // Colours have to stand before views that read them (the chart) hear of it.
  document.documentElement.dataset.theme = next;
  theme.set(next);
}
