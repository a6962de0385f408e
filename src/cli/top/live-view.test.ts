import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { eventWords } from './event-words.ts';
import { frameOf } from './frame.ts';
import { LiveView } from './live-view.ts';
import { readBlocks, readStatus } from './service-status.ts';
import { SseReader } from './sse-reader.ts';

const url = 'http://127.0.0.1:8470';
const json = fc.jsonValue({ maxDepth: 2 });
const status = (at: number, counts: object = {}, more: object = {}) =>
  readStatus({
    at,
    startedAt: 1,
    version: '1.2.3',
    environment: 'prod',
    store: 'redis',
    storeAnswers: true,
    draining: false,
    modes: [{ policy: 'login', mode: 'NORMAL', since: null }],
    decisions: { login: { ALLOW: 0, SOFT_BLOCK: 0, HARD_BLOCK: 0, ...counts }, otp: { ALLOW: 5 } },
    ...more,
  });

const decision = (t = 1_700_000_000_000) => ({
  seq: 1,
  t,
  type: 'decision',
  op: 'fail',
  policy: 'login',
  decision: {
    outcome: 'HARD_BLOCK',
    level: 2,
    rule: 'score',
    scope: 'K4',
    reasons: [
      { rule: 'score', scope: 'K4' },
      { rule: 'blocked', scope: 'K2' },
    ],
  },
});

const marks = [1, 7, 22, 27].map((code) => `\u001b[${code}m`);

/** What a person sees: without the marks that set lines off. */
const seen = (line: string): string => marks.reduce((text, mark) => text.replaceAll(mark, ''), line);

describe('a service as it works', () => {
  it('has rates, from two readings of its counts', () => {
    const view = new LiveView();
    view.takeStatus(status(1_000));
    expect(view.rate).toEqual({ ALLOW: 0, SOFT_BLOCK: 0, HARD_BLOCK: 0 });
    view.takeStatus(status(3_000, { ALLOW: 500, HARD_BLOCK: 3 }));
    expect(view.rate).toEqual({ ALLOW: 250, SOFT_BLOCK: 0, HARD_BLOCK: 1.5 });
  });

  it('starts anew with the service', () => {
    const view = new LiveView();
    view.takeStatus(status(1_000, { ALLOW: 500 }));
    view.takeStatus(status(2_000, { ALLOW: 2 }, { startedAt: 1_500 }));
    expect(view.rates).toEqual([]);
  });

  it('is drawn: rates, blocks, rules and scopes, last events', () => {
    const view = new LiveView();
    view.takeStatus(status(1_000));
    view.takeStatus(status(2_000, { ALLOW: 1_234, HARD_BLOCK: 7 }));
    view.blocks = readBlocks({
      blocks: [
        { scope: 'K4', outcome: 'HARD_BLOCK' },
        { scope: 'K4', outcome: 'SOFT_BLOCK' },
      ],
      more: true,
    });
    view.takeEvent(decision());
    view.takeEvent({ seq: 2, t: 1, type: 'sampled', shown: 200, hidden: { decision: 41, limit: 1 } });
    const text = frameOf(view, url, 100, 30).map(seen).join('\n');
    expect(text).toContain('portcullis 1.2.3, prod, store redis, http://127.0.0.1:8470');
    expect(text).toMatch(/ALLOW +1,234 {2}█/);
    expect(text).toMatch(/HARD_BLOCK +7\.0 {2}█/);
    expect(text).toContain('active blocks  1+ hard, 1+ soft  (K4 2)');
    expect(text).toMatch(/score +1 +K4 +1/);
    expect(text).toContain('22:13:20.000 decision  login fail: HARD_BLOCK by score on K4, level 2');
    expect(text).toContain('events (42 left out by the service; q quits)');
  });

  it('has modes and troubles that nobody overlooks', () => {
    const view = new LiveView();
    view.takeStatus(
      status(
        1_000,
        {},
        { storeAnswers: false, draining: true, modes: [{ policy: 'login', mode: 'FAIL_CLOSED' }] },
      ),
    );
    view.trouble = 'no service answers';
    const lines = frameOf(view, url, 80, 24);
    for (const text of [
      ' login: FAIL_CLOSED ',
      ' THE STORE DOES NOT ANSWER ',
      ' the service is draining ',
      ' no service answers ',
    ]) {
      expect(lines).toContain(`\u001b[7m${text}\u001b[27m`);
    }
  });

  it('keeps to the screen, however small, and shows events on a low one', () => {
    const view = new LiveView();
    view.takeStatus(status(1_000));
    for (let index = 0; index < 300; index += 1) view.takeEvent(decision(index));
    fc.assert(
      fc.property(fc.integer({ min: 20, max: 200 }), fc.integer({ min: 5, max: 60 }), (columns, rows) => {
        const lines = frameOf(view, url, columns, rows);
        expect(lines.length).toBeLessThanOrEqual(rows);
        for (const line of lines) expect([...seen(line)].length).toBeLessThanOrEqual(columns);
      }),
      { numRuns: 50 },
    );
    expect(
      frameOf(view, url, 80, 14)
        .map(seen)
        .filter((line) => line.includes('decision ')).length,
    ).toBeGreaterThan(2);
  });

  it('is bounded and harmless, whatever a service sends', () => {
    const types = fc.constantFrom(
      'decision',
      'block',
      'mode',
      'breaker',
      'critical',
      'limit',
      'audit',
      'sampled',
      'scenario',
      'other',
      '\u001b[2J',
    );
    const events = fc.dictionary(fc.string({ unit: 'binary', maxLength: 8 }), json);
    const known = fc.record({
      type: types,
      t: fc.oneof(fc.double(), fc.constant(1e300)),
      decision: json,
      reasons: json,
      hidden: json,
      rule: fc.string({ unit: 'binary' }),
      policy: fc.string({ unit: 'binary' }),
    });
    fc.assert(
      fc.property(fc.array(fc.oneof(events, known), { maxLength: 10 }), json, (given, body) => {
        const view = new LiveView();
        view.takeStatus(readStatus(body));
        view.blocks = readBlocks(body);
        for (const event of given) view.takeEvent(event);
        for (const line of frameOf(view, url, 80, 24)) expect(seen(line)).not.toMatch(/\p{Cc}/u);
      }),
      { numRuns: 60 },
    );
  });

  it('forgets old events and does not count endless names', () => {
    const view = new LiveView();
    for (let index = 0; index < 1_000; index += 1) {
      view.takeEvent({ type: 'limit', what: 'refused', rule: `r${index}`, t: index });
    }
    expect([view.lines.length, view.rules.size]).toEqual([200, 256]);
  });
});

describe('events in words', () => {
  it.each([
    [{ type: 'mode', policy: 'login', from: 'NORMAL', to: 'DEGRADED' }, 'login: NORMAL → DEGRADED'],
    [{ type: 'breaker', policy: 'otp', what: 'tripped' }, 'otp: breaker tripped'],
    [
      { type: 'limit', what: 'refused', rule: 'limit', route: 'GET /list', shadow: true },
      'refused limit GET /list (shadow)',
    ],
    [
      { type: 'block', policy: 'login', reasons: [{ rule: 'spray', scope: 'K1', level: 2 }] },
      'login: spray on K1, level 2',
    ],
    [{ type: 'audit', what: 'lifted', by: 'ann', why: 'a mistake' }, 'lifted by ann: a mistake'],
    [
      { type: 'audit', what: 'lifted', by: 'ann', why: 'a mistake', unsure: true },
      'lifted or not, the store failed, by ann: a mistake',
    ],
    [{ type: 'pin', pins: [{ id: 'limit:anonymous', until: 9 }] }, 'holding now: limit:anonymous'],
    [{ type: 'pin', pins: [] }, 'none holds any more'],
    [{ type: 'config', version: 7, at: 3, nested: {} }, 'version 7'],
    [{ type: '__proto__', version: 7 }, 'version 7'],
    [{ type: 'constructor', version: 7 }, 'version 7'],
  ])('%j', (event, words) => {
    expect(eventWords({ t: 0, ...event })).toBe(`--:--:--.--- ${event.type.padEnd(9)} ${words}`);
  });
});

describe('server-sent events', () => {
  const text =
    ': hello\n\nid: 1\ndata: {"a":1}\n\nid: 2\r\ndata: x\r\ndata: ü\r\n\r\nevent: z\n\ndata:tight\n\n';

  it('are the same in any chunks', () => {
    const bytes = Buffer.from(text);
    fc.assert(
      fc.property(fc.integer({ min: 1, max: bytes.length }), (size) => {
        const reader = new SseReader();
        const events = Array.from({ length: Math.ceil(bytes.length / size) }, (_, index) =>
          reader.push(bytes.subarray(index * size, (index + 1) * size)),
        ).flat();
        expect(events).toEqual([
          { id: '1', data: '{"a":1}' },
          { id: '2', data: 'x\nü' },
          { id: null, data: 'tight' },
        ]);
      }),
    );
  });

  it('without an end are given up', () => {
    const reader = new SseReader();
    for (let index = 0; index < 40; index += 1) expect(reader.push(Buffer.alloc(1 << 16, 97))).toEqual([]);
    reader.push(Buffer.from('\n\n'));
    expect(reader.push(Buffer.from('data: x\n\n'))).toEqual([{ id: null, data: 'x' }]);
  });
});
