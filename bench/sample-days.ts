import { readFileSync } from 'node:fs';
import { Random } from '../src/testing/random.ts';

/**
 * The sample day in many towns at once, and day after day: forty people in each, who sign in, mistype, ask for codes and call the
 * API, and five attacks on them. Every town has its own accounts, devices and addresses, and begins its day up to an hour later.
 */
const dayMs = 86_400_000;
const hourMs = 3_600_000;
export const peopleOfTown = 40;

interface DayEvent {
  readonly t: number;
  readonly op: string;
  readonly action: string;
  readonly account?: string;
  readonly ip: string;
  readonly ua: string;
  readonly device?: { readonly id: string; readonly confidence: string };
}

export function* linesOfDays(towns: number, days: number, start: number): Generator<string> {
  const courses = coursesOf(towns);
  for (let day = 0; day < days; day += 1) {
    for (const { t, event, town } of courses) {
      yield `${JSON.stringify(inTown(event, town, start + day * dayMs + t))}\n`;
    }
  }
}

/** What one day brings to all towns, in order of time. */
function coursesOf(towns: number): readonly { t: number; event: DayEvent; town: number }[] {
  const random = new Random('towns');
  const later = Array.from({ length: towns }, () => random.next() % hourMs);
  const events = sampleDay();
  return later
    .flatMap((laterMs, town) => events.map((event) => ({ t: event.t + laterMs, event, town })))
    .sort((a, b) => a.t - b.t);
}

function sampleDay(): readonly DayEvent[] {
  return readFileSync('examples/sample-day.jsonl', 'utf8')
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as DayEvent);
}

function inTown({ op, action, account, ip, ua, device }: DayEvent, town: number, t: number) {
  return {
    t,
    op,
    action,
    ...(account !== undefined && { account: `${account}-${town}` }),
    ip: addressIn(ip, town),
    ua,
    ...(device !== undefined && { device: { id: `${device.id}-${town}`, confidence: device.confidence } }),
  };
}

/** The three networks of the day, and its IPv6 prefix, once for each town. */
function addressIn(ip: string, town: number): string {
  if (ip.startsWith('2001:db8:')) return ip.replace('2001:db8:', `2001:${(0xdb8 + 1 + town).toString(16)}:`);
  const [first = '', , , last = ''] = ip.split('.');
  const network = { '192': 10, '198': 11, '203': 12 }[first] ?? 13;
  return `${network}.${town >> 8}.${town & 255}.${last}`;
}
