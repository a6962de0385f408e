import { HOUR_MS } from '../core/duration.ts';

/**
 * The latency of all calls over the last hour, to tell a sudden spike from a slow day: p95 of the last finished slot
 * against the median of the p95s of the hour before it. Latencies are counted in buckets that grow by 2^(1/8), so a
 * quantile is exact to 9 % and memory does not depend on the traffic. Takes `now`; holds no clock.
 */
export interface SpikePolicy {
  /** Spike from this many times the hour's median p95. Default 4. */
  readonly factor: number;
  /** No spike below this p95, in milliseconds: from 1 ms to 4 ms is no emergency. Default 100. */
  readonly floorMs: number;
  /** Length of a slot, in milliseconds. Default 5 000. */
  readonly slotMs: number;
  /** A slot with fewer calls says nothing. Default 20. */
  readonly minSamples: number;
  /** An hour with fewer slots than this says nothing. Default 12. */
  readonly minSlots: number;
}

const BUCKETS_PER_OCTAVE = 8;
const BUCKETS = 24 * BUCKETS_PER_OCTAVE;

function bucketOf(latencyMs: number): number {
  if (latencyMs <= 1) return 0;
  const index = Math.ceil(Math.log2(latencyMs) * BUCKETS_PER_OCTAVE);
  return Math.min(BUCKETS - 1, index);
}

/** The upper edge of a bucket. */
function latencyOf(bucket: number): number {
  return 2 ** (bucket / BUCKETS_PER_OCTAVE);
}

function quantile(counts: Uint32Array, total: number, q: number): number {
  const rank = Math.ceil(total * q);
  let seen = 0;
  for (const [bucket, count] of counts.entries()) {
    seen += count;
    if (seen >= rank) return latencyOf(bucket);
  }
  return latencyOf(BUCKETS - 1);
}

function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? 0;
}

/** How many earlier slots of an hour the one that has just ended can be compared with. */
export function mostSlots(slotMs: number): number {
  return Math.ceil(HOUR_MS / slotMs) - 2;
}

interface Slot {
  readonly index: number;
  readonly p95: number;
}

export class LatencyHistory {
  readonly #counts = new Uint32Array(BUCKETS);
  #total = 0;
  #slot = 0;
  #hour: Slot[] = [];
  #spiking = false;
  readonly #policy: SpikePolicy;

  constructor(policy: SpikePolicy) {
    this.#policy = policy;
  }

  /** Counts one call. */
  record(latencyMs: number, now: number): void {
    this.#moveTo(now);
    const bucket = bucketOf(latencyMs);
    this.#counts[bucket] = (this.#counts[bucket] ?? 0) + 1;
    this.#total += 1;
  }

  /** Whether the last finished slot was a spike. A slot without enough calls ends one. */
  isSpiking(now: number): boolean {
    this.#moveTo(now);
    return this.#spiking;
  }

  #moveTo(now: number): void {
    const slot = Math.floor(now / this.#policy.slotMs);
    if (slot === this.#slot) return;
    const { minSamples, slotMs } = this.#policy;
    const judged = this.#total >= minSamples && slot === this.#slot + 1;
    this.#hour = this.#hour.filter((past) => past.index > slot - HOUR_MS / slotMs);
    this.#spiking = judged && this.#judge(quantile(this.#counts, this.#total, 0.95));
    this.#counts.fill(0);
    this.#total = 0;
    this.#slot = slot;
  }

  /** Compares the finished slot with the hour before it, then adds it to the hour. */
  #judge(p95: number): boolean {
    const { factor, floorMs, minSlots } = this.#policy;
    const usual = this.#hour.length >= minSlots ? median(this.#hour.map((past) => past.p95)) : null;
    this.#hour.push({ index: this.#slot, p95 });
    return usual !== null && p95 >= floorMs && p95 >= factor * usual;
  }
}
