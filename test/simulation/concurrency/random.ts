/** Numbers that look random and are the same for the same seed. */
export interface Random {
  /** From 0 to below 1. */
  uniform(): number;
  /** Above 0, mean 1. */
  exponential(): number;
  /** Mean 0, standard deviation 1. */
  normal(): number;
}

/** Mulberry32: 32 bits of state, good enough for a queue. No sine anywhere: engines may round it differently. */
export function seeded(seed: number): Random {
  let state = seed >>> 0;
  const uniform = () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let bits = Math.imul(state ^ (state >>> 15), state | 1);
    bits ^= bits + Math.imul(bits ^ (bits >>> 7), bits | 61);
    return ((bits ^ (bits >>> 14)) >>> 0) / 4_294_967_296;
  };
  const normal = (): number => {
    const x = 2 * uniform() - 1;
    const y = 2 * uniform() - 1;
    const square = x * x + y * y;
    if (square >= 1 || square === 0) return normal();
    return x * Math.sqrt((-2 * Math.log(square)) / square);
  };
  return { uniform, exponential: () => -Math.log(1 - uniform()), normal };
}
