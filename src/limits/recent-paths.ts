import { Recent } from '../identity/recent.ts';

const remembered = 1_024;
/** With its query, for a path that is cut from a target keeps all of it in memory. */
const longestTarget = 256;

/** What was made of the paths of recent targets, without their queries: taking one apart costs more than a lookup. */
export class RecentPaths<Value> {
  readonly #make: (path: string) => Value;
  readonly #recent = new Recent<Value>(remembered, longestTarget);

  constructor(make: (path: string) => Value) {
    this.#make = make;
  }

  find(target: string): Value {
    if (target.length > longestTarget) return this.#make(withoutQuery(target));
    // Most targets have no query and are found before one is looked for: no path that is kept has one.
    return this.#recent.get(target) ?? this.#ofPath(withoutQuery(target));
  }

  #ofPath(path: string): Value {
    const known = this.#recent.get(path);
    if (known !== undefined) return known;
    const made = this.#make(path);
    this.#recent.set(path, made);
    return made;
  }
}

function withoutQuery(target: string): string {
  const query = target.indexOf('?');
  return query < 0 ? target : target.slice(0, query);
}
