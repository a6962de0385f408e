import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { sampleDay } from './make-sample-day.mjs';
import { root } from './setup.mjs';

const lines = sampleDay();
const events = lines.map((line) => JSON.parse(line));

describe('the sample day', () => {
  it('is what its script makes', () => {
    expect(readFileSync(join(root, 'examples', 'sample-day.jsonl'), 'utf8')).toBe(`${lines.join('\n')}\n`);
  });

  it('is one day, in order, in whole milliseconds', () => {
    const times = events.map((event) => event.t);
    expect(times).toEqual([...times].sort((a, b) => a - b));
    expect(times.every((t) => Number.isInteger(t) && t >= 0 && t < 86_400_000)).toBe(true);
  });

  it('uses no address that could be somebody', () => {
    const documentation = /^(192\.0\.2\.|198\.51\.100\.|203\.0\.113\.|2001:db8:)/;
    expect(events.filter((event) => !documentation.test(event.ip))).toEqual([]);
  });

  it('has honest people and attacks in it', () => {
    const attacks = events.filter((event) => event.attack === true);
    expect(attacks.length).toBeGreaterThan(300);
    expect(attacks.every((event) => event.op === 'fail')).toBe(true);
    expect(events.filter((event) => event.op === 'succeed').length).toBeGreaterThan(150);
    expect(new Set(events.map((event) => event.action))).toEqual(
      new Set(['auth.login', 'auth.otp', 'api.heavy']),
    );
  });
});
