import type { Driver, DriverEvents, Send } from '../../src/stores/redis/drivers/driver.ts';

/** Passes commands on and counts them: in all, in walks, and in rounds, where commands that are under way together count as one. */
export class CountingDriver implements Driver {
  readonly isCluster: boolean;
  rounds = 0;
  commands = 0;
  /** Walks over all keys. */
  walks = 0;
  readonly #driver: Driver;
  #underWay = 0;

  constructor(driver: Driver) {
    this.#driver = driver;
    this.isCluster = driver.isCluster;
  }

  /** Starts counting anew. */
  restart(): void {
    this.rounds = 0;
    this.commands = 0;
    this.walks = 0;
  }

  open(events: DriverEvents): void {
    this.#driver.open(events);
  }

  /** The store asks for the time on its own account, whatever it is used for. */
  async send(args: readonly string[], key: string): Promise<unknown> {
    if (key.startsWith('portcullis-clock')) return this.#driver.send(args, key);
    if (this.#underWay === 0) this.rounds += 1;
    this.commands += 1;
    this.#underWay += 1;
    try {
      return await this.#driver.send(args, key);
    } finally {
      this.#underWay -= 1;
    }
  }

  masters(): Promise<readonly Send[]> {
    this.walks += 1;
    return this.#driver.masters();
  }

  doubt(key: string): void {
    this.#driver.doubt(key);
  }

  reset(): void {
    this.#driver.reset();
  }

  close(): Promise<void> {
    return this.#driver.close();
  }
}
