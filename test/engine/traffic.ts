import type { DeviceSignal, TrafficEvent } from './oracle/request.ts';
import { Random } from './random.ts';
import { type Course, courses } from './traffic-scenes/courses.ts';
import type { NetworkPool, Scene } from './traffic-scenes/scene.ts';

const second = 1000;
const minute = 60 * second;
const hour = 60 * minute;

/** Every span after which something of the contract begins, falls or ends. */
const spansMs: readonly [number, ...number[]] = [
  0,
  15 * second,
  minute,
  3 * minute,
  5 * minute,
  6 * minute,
  10 * minute,
  15 * minute,
  20 * minute,
  30 * minute,
  hour,
  2 * hour,
  3 * hour,
  6 * hour,
  12 * hour,
  24 * hour,
  72 * hour,
  90 * 24 * hour,
];

/** Longer spans end everything that has built up, so they are tried less often. */
const commonSpans = 14;

const confidences: readonly ['LOW', 'MEDIUM', 'HIGH'] = ['LOW', 'MEDIUM', 'HIGH'];

type AgentForm = (major: number) => string;

const agentForms: readonly [AgentForm, ...AgentForm[]] = [
  (major) =>
    `Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/${major}.0.0.0 Safari/537.36`,
  (major) => `Mozilla/5.0 (X11; Linux x86_64; rv:${major}.0) Gecko/20100101 Firefox/${major}.0`,
  (major) =>
    `Mozilla/5.0 (Macintosh) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/${major}.1 Safari/605.1.15`,
];

/** What traffic wants to hear of a decision. */
interface Heard {
  readonly t: number;
  readonly reasons: readonly { readonly until: number }[];
}

/** Random events of one course. It hears the decisions, so that it can aim at the ends of blocks. */
export class Traffic {
  readonly course: Course;
  private readonly random: Random;
  private readonly landmarks: number[] = [];
  private scene: Scene;
  private networks: readonly [string, ...string[]];
  private phase = 0;
  private left: number;
  private t: number;
  private previous: TrafficEvent | undefined;

  constructor(seed: number) {
    this.random = new Random(seed);
    this.course = courses[seed % courses.length] ?? courses[0];
    const [{ scene, events }] = this.course.phases;
    this.scene = scene;
    this.left = events;
    this.networks = networksOf(scene.networks);
    this.t = this.random.chance(0.5) ? this.random.below(10) : 1_760_000_000_000;
  }

  next(): TrafficEvent {
    if (this.left <= 0) this.turn();
    this.left -= 1;
    const event = this.random.chance(0.15) ? this.again() : this.fresh();
    this.previous = event;
    return event;
  }

  heard(decision: Heard): void {
    this.landmarks.push(decision.t, ...decision.reasons.map((reason) => reason.until));
    this.landmarks.splice(0, this.landmarks.length - 200);
  }

  private turn(): void {
    const { phases } = this.course;
    this.phase = (this.phase + 1) % phases.length;
    const { scene, events } = phases[this.phase] ?? phases[0];
    this.scene = scene;
    this.left = events;
    this.networks = networksOf(scene.networks);
    this.previous = undefined;
  }

  /** The same request once more, mostly as the next step of a login. */
  private again(): TrafficEvent {
    if (this.previous === undefined || this.previous.op === 'consume') return this.fresh();
    const op = this.previous.action === 'api.heavy' ? 'check' : this.random.weighted(this.scene.ops);
    return { ...this.previous, t: this.time(), op };
  }

  private fresh(): TrafficEvent {
    const { random, scene } = this;
    const action = random.weighted(scene.actions);
    const drawn = random.weighted(scene.ops);
    const op = action !== 'api.heavy' || drawn === 'check' ? drawn : 'consume';
    const account = random.below(scene.accounts);
    const device = this.device(account);
    return {
      t: this.time(),
      op,
      action,
      ...(action === 'api.heavy' && random.chance(0.3) ? {} : { account: `a${account}` }),
      ip: random.pick(this.networks),
      ...this.agent(),
      ...(device === undefined ? {} : { device }),
      ...(op === 'consume' ? { cost: random.pick(scene.costs) } : {}),
    };
  }

  private agent(): { ua?: string } {
    const { random, scene } = this;
    if (random.chance(scene.bareAgents)) return random.chance(0.5) ? {} : { ua: 'curl/8.5.0' };
    const number = random.below(scene.agents) + 1;
    const form = agentForms[number % agentForms.length] ?? agentForms[0];
    return { ua: form(number) };
  }

  /** A device mostly keeps its confidence; now and then somebody shows it with another one. */
  private device(account: number): DeviceSignal | undefined {
    const { random, scene } = this;
    if (random.chance(scene.missing)) return undefined;
    const owned = random.chance(scene.owner);
    const number = (scene.devicesFrom ?? 0) + random.below(scene.devices);
    const steady = new Random(number * 7919 + (owned ? account : 0)).weighted(scene.confidences);
    const usual = owned ? 'HIGH' : steady;
    const confidence = random.chance(0.1) ? random.pick<DeviceSignal['confidence']>(confidences) : usual;
    return { id: owned ? `owner-${account}` : `d${number}`, confidence };
  }

  private time(): number {
    const { random, scene } = this;
    if (random.chance(scene.backwards)) return this.earlier();
    const edge = random.chance(scene.edges) ? this.edge() : undefined;
    this.t = edge ?? this.t + Math.floor(random.next() * (random.pick(scene.stepsMs) + 1));
    const [events, pauseMs] = scene.bursts ?? [1, 0];
    if (pauseMs > 0 && random.chance(1 / events)) this.t += random.below(pauseMs);
    return this.t;
  }

  /** Time jumps back: far mostly for one event only, as records stand still until it has caught up. */
  private earlier(): number {
    const { random } = this;
    const farthestMs = random.pick([3, second, minute, hour, 80 * hour]);
    const earlier = Math.max(0, this.t - random.below(farthestMs));
    if (random.chance(farthestMs > minute ? 0.03 : 0.3)) this.t = earlier;
    return earlier;
  }

  /** A time within 1 ms of a landmark and a span or two after it, if that is not over yet nor too far away. */
  private edge(): number | undefined {
    const { random, scene } = this;
    if (this.landmarks.length === 0) return undefined;
    const farthest = scene.reachMs ?? Math.max(...scene.stepsMs) * 4 + 2 * second;
    for (let attempt = 0; attempt < 40; attempt += 1) {
      const landmark = this.landmarks[random.below(this.landmarks.length)] ?? 0;
      const span = this.span() + (random.chance(0.3) ? this.span() : 0);
      const time = landmark + span + random.pick([-1, 0, 1]);
      if (time >= this.t && time <= this.t + farthest) return time;
    }
    return undefined;
  }

  private span(): number {
    const { random, scene } = this;
    if (scene.spansMs !== undefined && random.chance(0.8)) return random.pick(scene.spansMs);
    return spansMs[random.below(random.chance(0.05) ? spansMs.length : commonSpans)] ?? 0;
  }
}

function networksOf(pool: NetworkPool): readonly [string, ...string[]] {
  const from = pool.v4From ?? 1;
  const v4 = Array.from({ length: pool.v4 }, (_, index) => `203.0.113.${from + index}`);
  const [first = '203.0.113.1', ...rest] = [...v4, ...v6Networks(pool)];
  return [first, ...rest];
}

function v6Networks({ v6 }: NetworkPool): string[] {
  if (v6 === undefined) return [];
  const [p32, p40, p48, p64] = v6;
  const size = p32 * p40 * p48 * p64;
  return Array.from({ length: size }, (_, index) => {
    const subnet = index % p64;
    const site = Math.floor(index / p64) % p48;
    const region = Math.floor(index / (p64 * p48)) % p40;
    const provider = Math.floor(index / (p64 * p48 * p40));
    const third = ((region << 8) | site).toString(16);
    return `2a00:${(0x100 + provider).toString(16)}:${third}:${subnet.toString(16)}::1`;
  });
}
