import { decisionLine } from './decision-line.ts';
import type { ReplayDecision, ReplayReason } from './replay-decision.ts';

/** Room for one more line of at most `MOST_REASONS`, in bytes. */
const LINE_ROOM = 8192;
const MOST_REASONS = 32;

/** More are copied at once, which for fewer takes longer than one by one. */
const FEW_BYTES = 24;

const NEWLINE = 10;
const ZERO = 48;
const MILLION = 1_000_000;

/**
 * Decision lines as bytes, one after the other. Joining texts and encoding them cost a replay a quarter of its time; here
 * everything but the numbers is a constant that has been encoded once. The lines are those of `decisionLine`.
 */
export class DecisionWriter {
  #bytes = new Uint8Array(1 << 19);
  readonly #names = new Map<string | null, Uint8Array>();
  readonly #heads = new Map<string, Map<string, Uint8Array[]>>();
  #length = 0;

  get isEmpty(): boolean {
    return this.#length === 0;
  }

  /** What was written since the last call, as bytes of its own. */
  take(): Uint8Array {
    const taken = this.#bytes.slice(0, this.#length);
    this.#length = 0;
    return taken;
  }

  add(t: number, decision: ReplayDecision): void {
    this.#makeRoom(LINE_ROOM);
    if (decision.mode !== 'NORMAL' || decision.shadow || decision.reasons.length > MOST_REASONS)
      this.#addText(decisionLine(t, decision));
    else if (decision.outcome === 'ALLOW') this.#addAllowed(t);
    else this.#addBlock(t, decision);
    this.#bytes[this.#length] = NEWLINE;
    this.#length += 1;
  }

  #addAllowed(t: number): void {
    this.#copy(parts.t);
    this.#number(t);
    this.#copy(parts.allowed);
  }

  #addBlock(t: number, decision: ReplayDecision): void {
    this.#copy(parts.t);
    this.#number(t);
    this.#copy(decision.outcome === 'HARD_BLOCK' ? parts.hard : parts.soft);
    this.#number(decision.level);
    this.#copy(parts.until);
    this.#number(decision.until);
    this.#copy(parts.retryAfterMs);
    this.#number(decision.retryAfterMs);
    this.#copy(parts.rule);
    this.#copy(this.#nameOf(decision.rule));
    this.#copy(parts.scope);
    this.#copy(this.#nameOf(decision.scope));
    this.#copy(decision.deferred ? parts.deferred : parts.notDeferred);
    const { reasons } = decision;
    for (let place = 0; place < reasons.length; place += 1) {
      const reason = reasons[place] as ReplayReason;
      if (place > 0) this.#copy(parts.comma);
      this.#copy(this.#headOf(reason));
      this.#number(reason.until);
      this.#copy(parts.endOfReason);
    }
    this.#copy(parts.endOfLine);
  }

  #nameOf(name: string | null): Uint8Array {
    const known = this.#names.get(name);
    if (known !== undefined) return known;
    const bytes = encode(name === null ? 'null' : `"${name}"`);
    this.#names.set(name, bytes);
    return bytes;
  }

  /** Everything of a reason up to its end, of which there are few. */
  #headOf({ rule, scope, outcome, level }: ReplayReason): Uint8Array {
    const byScope = this.#heads.get(rule) ?? new Map<string, Uint8Array[]>();
    const heads = byScope.get(scope) ?? [];
    const place = outcome === 'HARD_BLOCK' ? 2 * level + 1 : 2 * level;
    const known = heads[place];
    if (known !== undefined) return known;
    const head = encode(
      `{"rule":"${rule}","scope":"${scope}","outcome":"${outcome}","level":${level},"until":`,
    );
    heads[place] = head;
    this.#heads.set(rule, byScope.set(scope, heads));
    return head;
  }

  #copy(part: Uint8Array): void {
    const bytes = this.#bytes;
    const start = this.#length;
    if (part.length > FEW_BYTES) bytes.set(part, start);
    else for (let index = 0; index < part.length; index += 1) bytes[start + index] = part[index] as number;
    this.#length = start + part.length;
  }

  #addText(text: string): void {
    const bytes = encode(text);
    this.#makeRoom(bytes.length + LINE_ROOM);
    this.#copy(bytes);
  }

  #makeRoom(count: number): void {
    if (this.#length + count <= this.#bytes.length) return;
    const larger = new Uint8Array(2 * this.#bytes.length + count);
    larger.set(this.#bytes.subarray(0, this.#length));
    this.#bytes = larger;
  }

  /** A whole number that is not negative. */
  #number(value: number): void {
    if (value < MILLION) {
      this.#digits(value, lengthOf(value));
      return;
    }
    // By halves: they fit into what a processor divides quickly.
    const high = Math.floor(value / MILLION);
    this.#number(high);
    this.#digits(value - high * MILLION, 6);
  }

  /** The last `count` digits of a number below a million. */
  #digits(value: number, count: number): void {
    const bytes = this.#bytes;
    const start = this.#length;
    let left = value | 0;
    for (let index = start + count - 1; index >= start; index -= 1) {
      const rest = (left / 10) | 0;
      bytes[index] = ZERO + left - rest * 10;
      left = rest;
    }
    this.#length = start + count;
  }
}

function lengthOf(value: number): number {
  if (value < 1_000) return value < 10 ? 1 : value < 100 ? 2 : 3;
  return value < 10_000 ? 4 : value < 100_000 ? 5 : 6;
}

const encoder = new TextEncoder();
const encode = (text: string): Uint8Array => encoder.encode(text);

const parts = {
  t: encode('{"t":'),
  allowed: encode(
    ',"outcome":"ALLOW","level":0,"until":0,"retryAfterMs":0,"rule":null,"scope":null,"deferred":false,"mode":"NORMAL","reasons":[]}',
  ),
  hard: encode(',"outcome":"HARD_BLOCK","level":'),
  soft: encode(',"outcome":"SOFT_BLOCK","level":'),
  until: encode(',"until":'),
  retryAfterMs: encode(',"retryAfterMs":'),
  rule: encode(',"rule":'),
  scope: encode(',"scope":'),
  deferred: encode(',"deferred":true,"mode":"NORMAL","reasons":['),
  notDeferred: encode(',"deferred":false,"mode":"NORMAL","reasons":['),
  comma: encode(','),
  endOfReason: encode('}'),
  endOfLine: encode(']}'),
};
