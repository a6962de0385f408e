/** Numbers that look random and follow from a seed alone (sfc32). Forks are independent of each other. */
export class Random {
  readonly #name: string;
  #a: number;
  #b: number;
  #c: number;
  #count = 1;

  constructor(name: string) {
    this.#name = name;
    this.#a = hashText(name, 0x9e3779b9);
    this.#b = hashText(name, 0x243f6a88);
    this.#c = hashText(name, 0xb7e15162);
    for (let round = 0; round < 12; round += 1) this.next();
  }

  /** A stream of its own: what is drawn from it changes nothing for others. */
  fork(part: string): Random {
    return new Random(`${this.#name}/${part}`);
  }

  /** 0 to 2³² − 1. */
  next(): number {
    const drawn = (this.#a + this.#b + this.#count) | 0;
    this.#count = (this.#count + 1) | 0;
    this.#a = this.#b ^ (this.#b >>> 9);
    this.#b = (this.#c + (this.#c << 3)) | 0;
    this.#c = ((this.#c << 21) | (this.#c >>> 11)) + drawn;
    return drawn >>> 0;
  }

  /** A whole number from `min` to `max`, both included. */
  between(min: number, max: number): number {
    return min + Math.floor((this.next() / 2 ** 32) * (max - min + 1));
  }

  /** True with this probability. */
  chance(share: number): boolean {
    return this.next() / 2 ** 32 < share;
  }

  pick<T>(choices: readonly [T, ...T[]]): T {
    return choices[this.between(0, choices.length - 1)] ?? choices[0];
  }
}

/** FNV-1a with a start value of its own. */
function hashText(text: string, start: number): number {
  let hash = start;
  for (let index = 0; index < text.length; index += 1) {
    hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193);
  }
  return hash | 0;
}
