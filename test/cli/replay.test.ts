import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { cli, replay } from './cli-run.ts';

const event = (fields: object = {}) =>
  JSON.stringify({ t: 0, op: 'fail', account: 'a1', ip: '192.0.2.1', ...fields });

function tempFile(name: string, text: string): string {
  const path = join(mkdtempSync(join(tmpdir(), 'portcullis-')), name);
  writeFileSync(path, text);
  return path;
}

describe('replay', () => {
  it('prints one decision a line, in the fields and order of the contract', async () => {
    const device = { id: 'd1', confidence: 'MEDIUM' };
    const { code, stdout } = await replay([0, 1, 2].map((t) => `${event({ t, device })}\n`).join(''));
    expect(code).toBe(0);
    expect(stdout.split('\n')).toEqual([
      '{"t":0,"outcome":"ALLOW","level":0,"until":0,"retryAfterMs":0,"rule":null,"scope":null,"deferred":false,"mode":"NORMAL","reasons":[]}',
      '{"t":1,"outcome":"SOFT_BLOCK","level":1,"until":15001,"retryAfterMs":15000,"rule":"score","scope":"K4","deferred":false,"mode":"NORMAL","reasons":[{"rule":"score","scope":"K4","outcome":"SOFT_BLOCK","level":1,"until":15001}]}',
      '{"t":2,"outcome":"HARD_BLOCK","level":2,"until":60002,"retryAfterMs":60000,"rule":"score","scope":"K4","deferred":false,"mode":"NORMAL","reasons":[{"rule":"score","scope":"K4","outcome":"HARD_BLOCK","level":2,"until":60002}]}',
      '',
    ]);
  });

  it('reads the same from any chunks', async () => {
    const text = Array.from({ length: 30 }, (_, t) =>
      event({ t, account: `ä${t % 3}🙂`, device: { id: 'd', confidence: 'LOW' } }),
    ).join('\n');
    const whole = (await replay(text)).stdout;
    const bytes = Buffer.from(text);
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 1, max: 300 }), async (size) => {
        const chunks = Array.from({ length: Math.ceil(bytes.length / size) }, (_, index) =>
          bytes.subarray(index * size, (index + 1) * size),
        );
        expect((await replay(chunks)).stdout).toBe(whole);
      }),
      { numRuns: 25 },
    );
  });

  it('takes defaults: login, and api for consume; unknown fields are ignored', async () => {
    const { code, stdout } = await replay(
      `${event({ extra: [1] })}\n${JSON.stringify({ t: 5, op: 'consume', ip: '::1' })}\r\n\n`,
    );
    expect([code, stdout.trimEnd().split('\n')]).toEqual([
      0,
      [expect.stringContaining('"t":0'), expect.stringContaining('"t":5')],
    ]);
  });

  it('takes the store in memory by its name, and says so where it knows none', async () => {
    const unnamed = await replay(event());
    expect(await replay(event(), '--store', 'memory')).toEqual(unnamed);
    for (const unknown of ['memroy', 'lmdb://records']) {
      const { code, stderr } = await replay(event(), '--store', unknown);
      expect([code, stderr]).toEqual([
        2,
        expect.stringContaining('--store must be one of memory, redis[s]://…'),
      ]);
    }
  });

  it('finds again what a line far ahead of all others has passed by', async () => {
    const days40 = 3_456_000_000;
    const fails = [0, 1, 2].map((t) => event({ t }));
    const ahead = event({ t: days40, account: 'b', ip: '192.0.2.2' });
    const { stdout } = await replay([...fails, ahead, event({ t: 1_000 })].join('\n'));
    expect(stdout.trimEnd().split('\n').at(-1)).toContain('"outcome":"HARD_BLOCK"');
  });

  it('takes null for an optional field that is absent', async () => {
    const absent = { action: null, account: null, ua: null, device: null, cost: null };
    const { code, stdout } = await replay(
      `${event({ ...absent, account: 'a1' })}\n${JSON.stringify({ t: 5, op: 'consume', ip: '::1', ...absent })}`,
    );
    expect([code, stdout.trimEnd().split('\n').length]).toEqual([0, 2]);
  });

  it('accepts time that runs backwards and notes it', async () => {
    const { stdout } = await replay(
      [5, 3, 9].map((t) => event({ t })).join('\n'),
      '--summary',
      '--json',
      '--quiet',
    );
    expect(JSON.parse(stdout).summary).toMatchObject({ events: 3, backwards: 1 });
  });

  it('sums up: counts, first blocks and a chart, escaped', async () => {
    const lines = Array.from({ length: 9 }, (_, t) =>
      event({ t: t * 1_000, account: 'evil\u001b[31m', device: { id: 'd1', confidence: 'MEDIUM' } }),
    );
    const { stdout } = await replay(lines.join('\n'), '--summary', '--quiet');
    expect(stdout).toContain('9 events');
    expect(stdout).toMatch(/HARD_BLOCK +7/);
    expect(stdout).toContain('account "evil\\u001b[31m" from "192.0.2.1" by score on K4');
    expect(stdout).not.toContain('\u001b');
  });

  it('decides by a policy file', async () => {
    const policy = tempFile('policy.yaml', 'policies:\n  login:\n    score: { newDevice: 8 }\n');
    const { stdout } = await cli(
      ['replay', '-', '--policy', policy],
      event({ device: { id: 'd', confidence: 'LOW' } }),
    );
    expect(JSON.parse(stdout)).toMatchObject({ outcome: 'HARD_BLOCK', rule: 'score' });
  });
});

describe('bad input to replay', () => {
  const cases: readonly (readonly [string, string | Uint8Array, RegExp])[] = [
    ['not JSON', '{"t":0', /^line 1: not valid JSON/],
    [
      'a NUL byte',
      '{"t":0,"op":"fail","account":"a\0","ip":"192.0.2.1"}',
      /^line 1: not valid JSON: it contains a NUL byte/,
    ],
    ['an escaped NUL', event({ account: 'a\0' }), /account must not contain a NUL/],
    ['half a character', event({ account: 'a\ud800' }), /account must not contain half of a surrogate pair/],
    ['not UTF-8', Buffer.from([0x7b, 0xff, 0xfe, 0x7d]), /^line 1: not valid UTF-8/],
    ['an array', '[]', /must be an object, got an array of 0/],
    ['null', 'null', /must be an object, got null/],
    ['no t', JSON.stringify({ op: 'fail' }), /^line 1: t must be a whole number .*, got nothing/],
    ['a negative t', event({ t: -1 }), /t must be .*got the integer -1/],
    ['a fractional t', event({ t: 1.5 }), /t must be/],
    ['a huge t', '{"t":1e400,"op":"fail","account":"a","ip":"192.0.2.1"}', /t must be/],
    ['a t past all dates', event({ t: 8_640_000_000_000_001 }), /t must be/],
    ['a text t', event({ t: '0' }), /t must be .*got a string of 1 characters/],
    ['an unknown op', event({ op: 'explode' }), /op must be one of check, fail, succeed, consume/],
    ['an unknown action', event({ action: 'auth.magic' }), /action must be one a policy is bound to/],
    [
      'an op the policy has not',
      event({ op: 'consume', action: 'auth.login' }),
      /"login" has no operation "consume"/,
    ],
    ['fail on api', event({ action: 'api.heavy' }), /"api" has no operation "fail"/],
    ['no account', event({ account: undefined }), /account must be .*got nothing/],
    ['an empty account', event({ account: '' }), /account must be .*got an empty string/],
    [
      'a number as account',
      event({ account: 4_915_112_345_678 }),
      /account must be .*got an integer of 13 digits/,
    ],
    ['no ip', event({ ip: undefined }), /ip must be/],
    ['an octal ip', event({ ip: '192.0.2.010' }), /ip must be .* 11 characters\. Mend it/],
    ['an ip with a port', event({ ip: '192.0.2.1:80' }), /ip/],
    ['a number as ua', event({ ua: 1 }), /ua must be/],
    [
      'a 1 MB ua',
      event({ ua: 'x'.repeat(1024 * 1024) }),
      /ua must be at most 8192 characters, got a string of 1048576/,
    ],
    ['a device without id', event({ device: { confidence: 'LOW' } }), /device.id must be/],
    ['an empty device id', event({ device: { id: '', confidence: 'LOW' } }), /device.id must be/],
    [
      'a wrong confidence',
      event({ device: { id: 'd', confidence: 'SURE' } }),
      /device.confidence must be LOW, MEDIUM or HIGH/,
    ],
    ['a text as device', event({ device: 'd1' }), /device must be/],
    [
      'cost 0',
      event({ op: 'consume', action: 'api.heavy', cost: 0 }),
      /cost must be a whole number from 1 to 120, got the integer 0/,
    ],
    ['cost over the limits', event({ op: 'consume', action: 'api.heavy', cost: 121 }), /cost must be/],
    ['a text cost', event({ op: 'consume', action: 'api.heavy', cost: '1' }), /cost must be/],
    ['a line of 5 MB', 'x'.repeat(5 * 1024 * 1024), /longer than 4194304 bytes/],
    [
      'an empty line between events',
      `${event()}\n\n${event()}`,
      /^line 2: an event must be an object, but the line is empty/,
    ],
  ];

  it.each(cases)('%s: exit 2 and a line that says why', async (_, line, message) => {
    const { code, stderr } = await replay(line);
    expect(code).toBe(2);
    expect(stderr).toMatch(message);
    expect(stderr.trimEnd().split('\n')).toHaveLength(1);
  });

  it('names the line, after the decisions before it', async () => {
    const { code, stdout, stderr } = await replay(
      `${event()}\n${event({ t: 1 })}\nnonsense\n${event({ t: 2 })}\n`,
    );
    expect([code, stdout.trimEnd().split('\n').length]).toEqual([2, 2]);
    expect(stderr).toMatch(/^line 3: /);
  });

  it('never shows an identifier of the line', async () => {
    const { stderr } = await replay('{"account":"alice@example.com" oops');
    expect(stderr).not.toContain('alice');
  });

  it('goes on with --skip-bad and counts', async () => {
    const lines = ['x', event(), '{', event({ t: 1 }), Buffer.from([0xff]).toString('latin1')];
    const { code, stdout } = await replay(
      Buffer.from(lines.join('\n'), 'latin1'),
      '--skip-bad',
      '--summary',
      '--json',
    );
    expect(code).toBe(0);
    const printed = stdout
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(printed.at(-1).summary).toMatchObject({ events: 2, badLines: 3 });
  });

  it('takes a file of nothing but a byte order mark for an empty one', async () => {
    for (const input of ['\uFEFF', '\uFEFF\r\n', '\uFEFF\n\n'])
      expect(await replay(input)).toEqual({ code: 0, stdout: '', stderr: '' });
    expect((await replay(`\uFEFF\n${event()}`)).stderr).toMatch(/^line 1: .* the line is empty\. /);
  });

  it('tells how many lines it skipped, also without a summary', async () => {
    const { code, stderr } = await replay(`${event()}\n\n{}\n${event({ t: 1 })}\n`, '--skip-bad', '--quiet');
    expect([code, stderr]).toEqual([0, 'portcullis: 2 bad lines were skipped\n']);
  });

  it('loses no event behind a gap with --skip-bad, wherever it is', async () => {
    const lines = ['', event(), '', '\r', event({ t: 1 }), event({ t: 2 }), '', ''];
    const { stdout } = await replay(lines.join('\n'), '--skip-bad', '--summary', '--quiet', '--json');
    expect(JSON.parse(stdout).summary).toMatchObject({ events: 3, badLines: 3 });
  });

  it('tells that a file cannot be read', async () => {
    const { code, stderr } = await cli(['replay', '/nowhere/events.jsonl']);
    const told = 'portcullis: /nowhere/events.jsonl: open failed with ENOENT. Is the path right?\n';
    expect([code, stderr]).toEqual([2, told]);
  });

  it('names a folder that is given for a file', async () => {
    const { code, stderr } = await cli(['replay', tmpdir()]);
    expect([code, stderr]).toEqual([2, `portcullis: ${tmpdir()} is a folder: name a file in it\n`]);
  });

  it('refuses unknown options and formats', async () => {
    expect((await cli(['replay', '--nonsense'])).code).toBe(2);
    expect((await cli(['replay', '-', '--format', 'morse'])).code).toBe(2);
    expect((await cli(['unheard-of'])).code).toBe(2);
  });

  it('any bytes at all end in 0 or 2, never in a crash', async () => {
    await fc.assert(
      fc.asyncProperty(fc.uint8Array({ maxLength: 400 }), async (bytes) => {
        expect([0, 2]).toContain((await replay(bytes)).code);
      }),
      { numRuns: 300 },
    );
  });

  it('any JSON value in any field is a decision or a clear error', async () => {
    const fields = fc.record(
      {
        t: fc.jsonValue(),
        op: fc.constantFrom('fail', 'check', 'succeed', 'consume'),
        action: fc.jsonValue(),
        account: fc.jsonValue(),
        ip: fc.jsonValue(),
        ua: fc.jsonValue(),
        device: fc.jsonValue(),
        cost: fc.jsonValue(),
      },
      { requiredKeys: [] },
    );
    await fc.assert(
      fc.asyncProperty(fields, async (given) => {
        const { code, stdout, stderr } = await replay(
          JSON.stringify({ t: 1, op: 'fail', account: 'a', ip: '192.0.2.1', ...given }),
        );
        expect(code === 0 ? stdout : stderr).toMatch(code === 0 ? /^\{"t":/ : /^line 1: /);
      }),
      { numRuns: 300 },
    );
  });
});

describe('policy files', () => {
  const cases: readonly (readonly [string, string, RegExp])[] = [
    ['not YAML', 'policies: [', /not valid YAML or JSON/],
    ['not an object', '7', /must be an object with "policies"/],
    ['an unknown field', 'polices: {}', /polices: not a field/],
    ['an unknown policy', 'policies: { magic: {} }', /policies.magic: must be/],
    [
      'an unknown number',
      'policies: { login: { score: { newDevise: 3 } } }',
      /policies.login.score.newDevise: is not a known field/,
    ],
    [
      'a text for a number',
      'policies: { login: { budget: { threshold: many } } }',
      /policies.login.budget.threshold: must be a whole number .*, got a string of 4/,
    ],
    [
      'a number out of range',
      'policies: { login: { correlation: { spray: { count: 1 } } } }',
      /policies.login.correlation.spray.*count: must be a whole number from 2/,
    ],
    [
      'thresholds that contradict',
      'policies: { login: { score: { softFrom: 9 } } }',
      /softFrom < hardFrom < severeFrom/,
    ],
    [
      'a ladder that falls',
      'policies: { api: { ladder: { durationsMs: [9, 8, 7, 6, 5, 4] } } }',
      /durationsMs: each level must last longer/,
    ],
    [
      'a policy of one’s own without actions',
      'policies: { search: { extends: api } }',
      /policies.search.actions/,
    ],
  ];

  it.each(cases)('%s: exit 2, every problem named', async (_, text, message) => {
    const { code, stderr } = await cli(['replay', '-', '--policy', tempFile('bad.yaml', text)], event());
    expect(code).toBe(2);
    expect(stderr).toMatch(message);
  });

  it('names all problems at once', async () => {
    const text = 'policies: { login: { score: { x: 1 } }, otp: { y: 2 } }';
    const { stderr } = await cli(['replay', '-', '--policy', tempFile('bad.yaml', text)], event());
    expect(stderr).toMatch(/login.score.x.*otp.y/);
  });

  it('binds a policy of one’s own to its actions', async () => {
    const file = tempFile(
      'own.json',
      '{"policies":{"search":{"extends":"api","actions":["api.search"],"limits":{"minor":2}}}}',
    );
    const call = JSON.stringify({ t: 0, op: 'consume', action: 'api.search', ip: '192.0.2.1' });
    const { stdout } = await cli(['replay', '-', '--policy', file], `${call}\n${call}\n${call}\n`);
    expect(
      stdout
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line).outcome),
    ).toEqual(['ALLOW', 'ALLOW', 'SOFT_BLOCK']);
  });
});

describe('explain', () => {
  it('refuses a confidence of no device', async () => {
    const flags = ['--account', 'a1', '--ip', '192.0.2.1', '--confidence', 'HIGH'];
    const { code, stderr } = await cli(['explain', '-', ...flags], '');
    expect([code, stderr]).toEqual([2, expect.stringContaining('--device names, and there is none')]);
  });

  it('knows nothing of what comes after the time it is asked for', async () => {
    const lines = [0, 1, 2, 3].map((t) => event({ t: 100 + t })).join('\n');
    const subject = ['--account', 'a1', '--ip', '192.0.2.1', '--json'];
    const asked = async (...more: string[]) =>
      JSON.parse((await cli(['explain', '-', ...subject, ...more], lines)).stdout);
    expect((await asked()).now.outcome).toBe('HARD_BLOCK');
    expect((await asked('--at', '99')).now.outcome).toBe('ALLOW');
  });

  it.each([
    ['no JSON', 'nonsense', /^line 1: .*Mend it, or take it out\n$/],
    ['no UTF-8', Uint8Array.of(0xff), /^line 1: .*Mend it, or take it out\n$/],
    ['empty', `${event()}\n\n${event()}`, /^line 2: .*Mend it, or take it out\n$/],
    [
      'a logged decision',
      '{"v":"portcullis.decision/1"}',
      /^line 1: .*which only replay and compare read\n$/,
    ],
  ])('does not advise an option that it has not: of a line that is %s', async (_, lines, told) => {
    const { stderr } = await cli(['explain', '-', '--account', 'a1', '--ip', '192.0.2.1'], lines);
    expect(stderr).toMatch(told);
  });

  it('tells how a subject stands after the events', async () => {
    const lines = [0, 1, 2].map((t) => event({ t, device: { id: 'd1', confidence: 'MEDIUM' } })).join('\n');
    const { code, stdout } = await cli(['explain', '-', '--account', 'a1', '--ip', '192.0.2.1'], lines);
    expect(code).toBe(0);
    expect(stdout).toContain('Now: HARD_BLOCK level 2 for 1 min: the account (K4) is blocked at level 2.');
    expect(stdout).toContain('Budget: 3 of 20 eligible failures.');
    expect(stdout).toContain('K4, the account: score 9 as of its last change, remembers level 2');
  });

  it('as JSON, and what the next failure would give', async () => {
    const lines = event({ device: { id: 'd1', confidence: 'MEDIUM' } });
    const { stdout } = await cli(
      ['explain', '-', '--account', 'a1', '--ip', '192.0.2.1', '--device', 'd1', '--json'],
      lines,
    );
    expect(JSON.parse(stdout)).toMatchObject({
      policy: 'login',
      device: 'unknown',
      now: { outcome: 'ALLOW' },
      next: { op: 'fail', decision: { outcome: 'SOFT_BLOCK', rule: 'score', scope: 'K4' } },
    });
  });
});
