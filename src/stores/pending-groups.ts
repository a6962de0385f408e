import type { Key } from '../core/records.ts';
import { groupOf } from './group-tag.ts';

/** How many steps of each group were asked for and have not ended. */
export class PendingGroups {
  readonly #steps = new Map<string, number>();

  /** Counts a step on these keys until its answer has come, well or not. */
  count(keys: readonly Key[], answer: Promise<unknown>): void {
    const tag = groupOf(keys);
    this.#steps.set(tag, (this.#steps.get(tag) ?? 0) + 1);
    const end = () => this.#end(tag);
    answer.then(end, end);
  }

  has(keys: readonly Key[]): boolean {
    return this.#steps.size > 0 && keys.some((key) => this.#steps.has(groupOf([key])));
  }

  #end(tag: string): void {
    const left = (this.#steps.get(tag) ?? 1) - 1;
    if (left === 0) this.#steps.delete(tag);
    else this.#steps.set(tag, left);
  }
}
