import type { IconName } from '../parts/icons.tsx';
import { createCell } from './cell.ts';

/** The pages, in the order of the navigation. `key` is pressed after `g`. */
export const pages = [
  { path: 'live', title: 'Live', icon: 'live', key: 'l' },
  { path: 'subject', title: 'Subject', icon: 'subject', key: 's' },
  { path: 'blocks', title: 'Blocks', icon: 'blocks', key: 'b' },
  { path: 'limits', title: 'Limits', icon: 'limits', key: 'm' },
  { path: 'health', title: 'Health', icon: 'health', key: 'h' },
  { path: 'audit', title: 'Audit', icon: 'audit', key: 'a' },
  { path: 'replay', title: 'Replay', icon: 'replay', key: 'r' },
] as const satisfies readonly { path: string; title: string; icon: IconName; key: string }[];

export type PagePath = (typeof pages)[number]['path'];

/** The page in the address; a hash, so that the service needs to serve one file only. */
function pathOf(hash: string): PagePath {
  const wanted = hash.replace(/^#\/?/, '');
  return pages.find(({ path }) => path === wanted)?.path ?? 'live';
}

export const route = createCell<PagePath>(pathOf(location.hash));

/** Follows the address bar. */
export function followAddress(): void {
  addEventListener('hashchange', () => route.set(pathOf(location.hash)));
}

export function goTo(path: PagePath): void {
  location.hash = `/${path}`;
}
