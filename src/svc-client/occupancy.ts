/**
 * How many connections of an endpoint carry a request, and whether there was a time when all did: who waited then waited for
 * this process, and not for the target.
 */
export class Occupancy {
  private readonly connections: number;
  private taken = 0;
  private timesFull = 0;

  constructor(connections: number) {
    this.connections = connections;
  }

  take(): void {
    this.taken += 1;
    if (this.taken === this.connections) this.timesFull += 1;
  }

  free(): void {
    this.taken -= 1;
  }

  /** To be given to {@link wasFullSince} later. */
  mark(): number {
    return this.taken < this.connections ? this.timesFull : this.timesFull - 1;
  }

  /** Whether all were taken when the mark was made, or at any time since. */
  wasFullSince(mark: number): boolean {
    return this.timesFull > mark;
  }
}
