import type { Trouble } from './scenario.ts';
import type { Timeline } from './timeline.ts';

type Kind = Trouble['kind'];
type Of<K extends Kind> = Extract<Trouble, { kind: K }>;

/** What goes wrong right now. */
export class ActiveTroubles {
  readonly #active = new Set<Trouble>();

  /** Begins and ends every trouble at its time; `onBegin` and `onEnd` do what it does to the server or a node. */
  constructor(
    timeline: Timeline,
    troubles: readonly Trouble[],
    onBegin: (trouble: Trouble) => void,
    onEnd: (trouble: Trouble) => void,
  ) {
    for (const trouble of troubles) {
      timeline.after(trouble.atMs, () => {
        this.#active.add(trouble);
        onBegin(trouble);
      });
      timeline.after(trouble.atMs + trouble.forMs, () => {
        this.#active.delete(trouble);
        onEnd(trouble);
      });
    }
  }

  /** The first of this kind that is active. */
  find<K extends Kind>(kind: K, matches: (trouble: Of<K>) => boolean = () => true): Of<K> | undefined {
    for (const trouble of this.#active) {
      if (isOf(trouble, kind) && matches(trouble)) return trouble;
    }
    return undefined;
  }
}

function isOf<K extends Kind>(trouble: Trouble, kind: K): trouble is Of<K> {
  return trouble.kind === kind;
}
