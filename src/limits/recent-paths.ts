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
    const query = target.indexOf('?');
    const path = query < 0 ? target : target.slice(0, query);
    if (target.length > longestTarget) return this.#make(path);
    const known = this.#recent.get(path);
    if (known !== undefined) return known;
    const made = this.#make(path);
    this.#recent.set(path, made);
    return made;
  }
}
