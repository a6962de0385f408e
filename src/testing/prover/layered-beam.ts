/** A search that goes up in steps: where to begin, what may follow, and which of many to keep. */
export interface Climb<S> {
  readonly start: S;
  /** What may follow, and how many layers up it is. */
  expand(from: S): Iterable<{ readonly to: S; readonly up: number }>;
  /** Of candidates that share it, only the better one is kept, so that those kept differ. */
  bucketOf(candidate: S): string;
  /** The smaller, the more promising. */
  rank(candidate: S): number;
  /** How many of a layer are gone on from. */
  readonly width: number;
  readonly isOver: () => boolean;
}

/**
 * Beam search: of each layer the most promising candidates of different kinds are gone on from. What it finds is real;
 * that there is nothing better it does not show. Gives every layer that it reached, with its candidates, best first.
 */
export function* climb<S>({ start, expand, bucketOf, rank, width, isOver }: Climb<S>): Generator<{
  readonly layer: number;
  readonly candidates: readonly S[];
}> {
  const layers: (Map<string, S> | undefined)[] = [new Map([['', start]])];
  for (let layer = 0; layer < layers.length; layer += 1) {
    const kinds = layers[layer];
    layers[layer] = undefined;
    if (kinds === undefined) continue;
    const candidates = [...kinds.values()].sort((a, b) => rank(a) - rank(b)).slice(0, width);
    yield { layer, candidates };
    for (const candidate of candidates) {
      if (isOver()) return;
      for (const { to, up } of expand(candidate)) {
        layers[layer + up] ??= new Map();
        keepBetter(layers[layer + up], to, bucketOf(to), rank);
      }
    }
  }
}

function keepBetter<S>(
  kinds: Map<string, S> | undefined,
  candidate: S,
  bucket: string,
  rank: (candidate: S) => number,
): void {
  const other = kinds?.get(bucket);
  if (other === undefined || rank(candidate) < rank(other)) kinds?.set(bucket, candidate);
}
