import { pathTexts } from './path-readings.ts';
import { RecentPaths } from './recent-paths.ts';
import { barePath, decodedSegment, pathSegments } from './request-path.ts';

/** What is left of a path. */
export interface PathBelow {
  /** To the letter where that leaves all readings open, for which of them counts is not known here. */
  readonly path: string;
  /** What else it may be to servers that read it in another way; none for nearly all. */
  readonly otherPaths: readonly string[];
}

const none: readonly string[] = [];

/** Where an application is mounted. */
export class MountPath {
  readonly #segments: readonly string[];
  readonly #recent = new RecentPaths((path) => this.#cut(path));

  /** @param path default `/`: not mounted below anything */
  constructor(path = '/') {
    this.#segments = pathSegments(path);
  }

  /** A path without its query and without what it is mounted at; whole where it is somewhere else. */
  below(target: string): PathBelow {
    return this.#segments.length === 0 ? { path: target, otherPaths: none } : this.#recent.find(target);
  }

  #cut(target: string): PathBelow {
    // What is too much to read stays so, and costs what such paths cost.
    const texts = pathTexts(target) ?? none;
    const [first] = texts.flatMap((text) => this.#rest(text) ?? []);
    if (first === undefined) return { path: target, otherPaths: none };
    const path = this.#mainOf(barePath(target), first);
    if (texts.length === 1) return { path, otherPaths: none };
    const others = new Set(texts.map((text) => this.#rest(text) ?? text));
    for (const read of pathTexts(path) ?? none) others.delete(read);
    return { path, otherPaths: [...others] };
  }

  /** What is below the mount as it was sent, unless that is something else than what the whole path is. */
  #mainOf(sent: string, first: string): string {
    const rest = this.#rest(sent);
    const main = rest !== null && same(pathSegments(rest), pathSegments(first)) ? rest : first;
    // What begins with two slashes would be read as a host; one of them belonged to the mount.
    return main.replace(/^\/+/, '/');
  }

  /** What follows the mount in a text; null where it does not begin with it. */
  #rest(text: string): string | null {
    let depth = 0;
    const parts = text.split('/');
    for (const [index, part] of parts.entries()) {
      if (depth === this.#segments.length) return `/${parts.slice(index).join('/')}`;
      if (part === '') continue;
      if (decodedSegment(part).toLowerCase() !== this.#segments[depth]) return null;
      depth += 1;
    }
    return depth === this.#segments.length ? '/' : null;
  }
}

function same(one: readonly string[], other: readonly string[]): boolean {
  return one.length === other.length && one.every((segment, index) => segment === other[index]);
}
