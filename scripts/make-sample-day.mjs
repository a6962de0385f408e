// `node scripts/make-sample-day.mjs`: writes examples/sample-day.jsonl, the day of traffic that `npm start` replays.
// Everything in it is made up and comes from one seed: forty people, their devices and habits, and five attacks. Addresses
// are from the ranges that are kept for documents. Attacks carry `"attack": true`, so that policies can be compared.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { root } from './setup.mjs';

const seed = 20_260_115;
const minuteMs = 60_000;
const hourMs = 60 * minuteMs;

const agents = {
  chrome:
    'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/126.0.0.0 Safari/537.36',
  edge: 'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/126.0.0.0 Safari/537.36 Edg/126.0.0.0',
  firefox: 'Mozilla/5.0 (X11; Linux x86_64; rv:127.0) Gecko/20100101 Firefox/127.0',
  safari:
    'Mozilla/5.0 (iPhone; CPU iPhone OS 17_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/17.5 Mobile/15E148 Safari/604.1',
  script: 'python-requests/2.32.3',
};
const browsers = [agents.chrome, agents.edge, agents.firefox, agents.safari];

/** The lines of the day, in order of time. */
export function sampleDay() {
  const random = mulberry32(seed);
  const people = Array.from({ length: 40 }, (_, index) => person(index + 1, random));
  const events = [
    ...people.flatMap((someone) => honestDay(someone, random)),
    ...bruteForce(random),
    ...spray(random),
    ...spreadSpray(random),
    ...deviceRotation(random),
    ...otpPreload(people[22], random),
  ];
  return events
    .map((event, index) => ({ event, index }))
    .sort((a, b) => a.event.t - b.event.t || a.index - b.index)
    .map(({ event }) => JSON.stringify(event));
}

/** Somebody with an address at home, maybe one at the office, and a device or two. */
function person(number, random) {
  const home = number % 5 === 0 ? `2001:db8:1:${number}::${number}` : `192.0.2.${number}`;
  return {
    account: `a${number}`,
    home,
    work: number % 3 === 0 ? '198.51.100.10' : home,
    ua: pick(browsers, random),
    device: { id: `d${number}`, confidence: number % 4 === 0 ? 'HIGH' : 'MEDIUM' },
  };
}

/** Signs in a few times between six and ten in the evening, mistypes now and then, uses the service. */
function honestDay(someone, random) {
  const visits = 4 + Math.floor(random() * 4);
  return Array.from({ length: visits }, () => {
    const t = Math.floor((6 + random() * 16) * hourMs);
    const atWork = t > 9 * hourMs && t < 17 * hourMs;
    return visit({ ...someone, ip: atWork ? someone.work : someone.home }, t, random);
  }).flat();
}

function visit({ account, ip, ua, device }, t, random) {
  const from = { account, ip, ua, device };
  const login = { action: 'auth.login', ...from };
  const events = [];
  let at = t;
  while (random() < 0.1) {
    events.push({ t: at, op: 'check', ...login }, { t: at + 80, op: 'fail', ...login });
    at += 8_000 + Math.floor(random() * 20_000);
  }
  events.push({ t: at, op: 'check', ...login }, { t: at + 80, op: 'succeed', ...login });
  if (random() < 0.25) {
    const otp = { action: 'auth.otp', ...from };
    events.push({ t: at + 12_000, op: 'check', ...otp }, { t: at + 12_050, op: 'succeed', ...otp });
  }
  const calls = Math.floor(random() * 6);
  for (let call = 0; call < calls; call += 1) {
    at += 15_000 + Math.floor(random() * 120_000);
    events.push({ t: at + 20_000, op: 'consume', action: 'api.heavy', ip, ua, device });
  }
  return events;
}

/** One machine guesses one account's password for two hours, with a break that it hopes will be forgotten. */
function bruteForce(random) {
  const device = { id: 'x1', confidence: 'LOW' };
  return times(140, (guess) => {
    const pauseMs = guess < 90 ? 0 : 40 * minuteMs;
    const t = Math.floor(11 * hourMs + pauseMs + guess * 50_000 + random() * 9_000);
    return failure(t, 'a8', '203.0.113.77', agents.script, device);
  });
}

/** One address tries the same password on everybody, without showing a device. */
function spray(random) {
  return times(90, (guess) => {
    const t = Math.floor(4 * hourMs + guess * 15_000 + random() * 5_000);
    return failure(t, `a${1 + ((guess * 7) % 40)}`, '203.0.113.50', agents.script, null);
  });
}

/** The same from a rented IPv6 range: every guess from another /64 of one /48, none twice in a row. */
function spreadSpray(random) {
  return times(90, (guess) => {
    const network = (1 + ((guess * 11) % 24)).toString(16);
    const t = Math.floor(13 * hourMs + guess * 20_000 + random() * 8_000);
    return failure(t, `a${1 + ((guess * 13) % 40)}`, `2001:db8:bad:${network}::1`, agents.firefox, null);
  });
}

/** One account, a new device for each guess, five addresses. */
function deviceRotation(random) {
  return times(60, (guess) => {
    const t = Math.floor(16 * hourMs + guess * 45_000 + random() * 20_000);
    const device = { id: `y${guess}`, confidence: 'MEDIUM' };
    return failure(t, 'a12', `203.0.113.${100 + (guess % 5)}`, agents.chrome, device);
  });
}

/** Nine wrong codes, spread over the day, wait for the owner's first typing error; the owner then gets it right. */
function otpPreload(owner, random) {
  const preload = times(9, (guess) => {
    const t = Math.floor(5 * hourMs + guess * 75 * minuteMs + random() * 5 * minuteMs);
    return {
      ...failure(t, owner.account, `203.0.113.${200 + guess}`, agents.safari, null),
      action: 'auth.otp',
    };
  });
  const request = { account: owner.account, ip: owner.home, ua: owner.ua, device: owner.device };
  const login = { action: 'auth.login', ...request };
  const otp = { action: 'auth.otp', ...request };
  const t = 18 * hourMs;
  return [
    ...preload,
    { t, op: 'check', ...login },
    { t: t + 90, op: 'succeed', ...login },
    { t: t + 20_000, op: 'fail', ...otp },
    { t: t + 95_000, op: 'check', ...otp },
    { t: t + 95_060, op: 'succeed', ...otp },
  ];
}

function failure(t, account, ip, ua, device) {
  return {
    t,
    op: 'fail',
    action: 'auth.login',
    account,
    ip,
    ua,
    ...(device === null ? {} : { device }),
    attack: true,
  };
}

function times(count, make) {
  return Array.from({ length: count }, (_, index) => make(index));
}

function pick(list, random) {
  return list[Math.floor(random() * list.length)];
}

/** A small generator whose numbers are the same on every machine. */
function mulberry32(start) {
  let state = start;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  const lines = sampleDay();
  writeFileSync(join(root, 'examples', 'sample-day.jsonl'), `${lines.join('\n')}\n`);
  console.log(`examples/sample-day.jsonl: ${lines.length} events`);
}
