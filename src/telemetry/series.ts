/**
 * Values by a list of label values, found by one step per label. Joining the labels to one key would cost more than
 * everything else a counter does: these few looks are on the way of every decision.
 */
export class Series<V> {
  readonly #make: () => V;
  readonly #root = new Map<string, Node<V>>();
  readonly #all: { readonly labels: readonly string[]; readonly value: V }[] = [];
  #unlabelled: V | null = null;

  constructor(make: () => V) {
    this.#make = make;
  }

  /** The value of these labels, made when it is first asked for. */
  at(labels: readonly string[]): V {
    if (labels.length === 0) {
      this.#unlabelled ??= this.#add(labels);
      return this.#unlabelled;
    }
    let level = this.#root;
    const last = labels.length - 1;
    for (let index = 0; index < last; index += 1) level = this.#stepTo(level, labels[index] ?? '').below;
    const node = this.#stepTo(level, labels[last] ?? '');
    node.value ??= this.#add(labels);
    return node.value;
  }

  all(): readonly { readonly labels: readonly string[]; readonly value: V }[] {
    return this.#all;
  }

  #stepTo(level: Map<string, Node<V>>, label: string): Node<V> {
    const known = level.get(label);
    if (known !== undefined) return known;
    const node: Node<V> = { below: new Map(), value: null };
    level.set(label, node);
    return node;
  }

  #add(labels: readonly string[]): V {
    const value = this.#make();
    this.#all.push({ labels: [...labels], value });
    return value;
  }
}

interface Node<V> {
  readonly below: Map<string, Node<V>>;
  value: V | null;
}
