import type { TestContext } from 'vitest';
import { RegistryAway } from './npm.ts';
import type { PackedPackage } from './packed-package.ts';
import { type Stranger, strangerOn } from './stranger.ts';

/** The line of the Node that runs the tests. */
export const ownLine = Number.parseInt(process.versions.node, 10);

/** Without a registry nothing can be installed: then the test is skipped, or under CI fails. */
export async function orSkip<T>(context: TestContext, installed: Promise<T>): Promise<T> {
  try {
    return await installed;
  } catch (error) {
    if (!(error instanceof RegistryAway)) throw error;
    if (process.env.CI === 'true') {
      throw new TypeError(
        'The package cannot be installed as strangers do: npm does not reach its registry.',
        { cause: error },
      );
    }
    return context.skip('npm does not reach its registry');
  }
}

/** One project for each line of Node, made when it is first asked for. */
export class Strangers {
  readonly #packed: () => PackedPackage;
  readonly #made = new Map<number, Promise<Stranger>>();

  constructor(packed: () => PackedPackage) {
    this.#packed = packed;
  }

  on(line: number, context: TestContext): Promise<Stranger> {
    const making = this.#made.get(line) ?? strangerOn(line, this.#packed());
    this.#made.set(line, making);
    return orSkip(context, making);
  }

  async remove(): Promise<void> {
    for (const result of await Promise.allSettled(this.#made.values())) {
      if (result.status === 'fulfilled') result.value.remove();
    }
  }
}
