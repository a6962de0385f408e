import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { afterAll, describe, expect, it } from 'vitest';
import { parseDocument } from '../../src/config/document.ts';
import { problemText } from '../../src/config/problem.ts';
import { checkDocument } from '../../src/config/read-service-config.ts';
import { aggregate, type Reason } from '../../src/core/decision.ts';
import { cli } from '../cli/cli-run.ts';
import { allBlocks } from './blocks.ts';

const blocks = allBlocks().filter(({ notRun }) => notRun === null);
const inLanguage = (language: string) => blocks.filter((block) => block.language === language);

/** A folder as the configurations of the documents expect it, with the file that one of them names. */
const folder = mkdtempSync(join(tmpdir(), 'portcullis-documents-'));
mkdirSync(join(folder, 'limits'));
writeFileSync(
  join(folder, 'limits', 'messaging.yaml'),
  'domain: messaging\ndescriptors:\n  - key: to\n    rate_limit: { unit: day, requests_per_unit: 5 }\n',
);
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function configProblems(code: string, place: string): string[] {
  return checkDocument(parseDocument(code, place), { folder, env: {} }).problems.map(problemText);
}

describe('YAML in the documents', () => {
  it('is found where it stands, six blocks at least', () => {
    expect(inLanguage('yaml').length).toBeGreaterThanOrEqual(6);
  });

  it.each(inLanguage('yaml'))('is a configuration that is taken as it stands: $place', ({ place, code }) => {
    expect(configProblems(code, place)).toEqual([]);
  });

  it('would be caught otherwise', () => {
    expect(configProblems('polices: {}\n', 'here')).toHaveLength(1);
  });
});

/** What is wrong with a JSON object of a document, by what it says it is. */
async function jsonComplaint(value: Record<string, unknown>): Promise<string | null> {
  if ('op' in value || 't' in value) return await replayComplaint(JSON.stringify(value));
  if ('outcome' in value) return decisionComplaint(value);
  if ('title' in value && 'status' in value) return 'code' in value ? null : 'a problem without a code';
  if ('policies' in value || 'store' in value)
    return configProblems(JSON.stringify(value), 'here')[0] ?? null;
  return 'is nothing that is known here: say what it is, or why it is not run';
}

async function replayComplaint(lines: string): Promise<string | null> {
  const format = lines.startsWith('{"v":"portcullis.decision/') ? 'decisions' : 'events';
  const { code, stderr } = await cli(['replay', '-', '--quiet', '--format', format], lines);
  return code === 0 ? null : stderr;
}

const decisionFields = 'outcome level until retryAfterMs rule scope deferred mode reasons'.split(' ');

/** A decision has all of its fields, and says what its reasons add up to. */
function decisionComplaint(value: Record<string, unknown>): string | null {
  const missing = decisionFields.filter((field) => !(field in value));
  if (missing.length > 0) return `a decision without ${missing.join(', ')}`;
  const { reasons, until, retryAfterMs, deferred } = value;
  const said = { ...aggregate(reasons as readonly Reason[], Number(until) - Number(retryAfterMs)), deferred };
  return isDeepStrictEqual({ ...value, mode: 'NORMAL' }, said)
    ? null
    : 'its reasons add up to something else';
}

describe('JSON in the documents', () => {
  it.each(inLanguage('json'))('is what it says: $place', async ({ code }) => {
    expect(await jsonComplaint(JSON.parse(code))).toBeNull();
  });

  it('would be caught otherwise', async () => {
    expect(await jsonComplaint({ op: 'fail', account: 'a1', ip: 'nowhere', t: 0 })).toContain('ip');
    expect(await jsonComplaint({ outcome: 'ALLOW' })).toContain('without level');
    expect(await jsonComplaint({ ...aggregate([], 0), level: 2 })).toContain('something else');
    expect(await jsonComplaint({ anything: 1 })).toContain('nothing that is known');
  });
});

describe('event lines in the documents', () => {
  it('are replayed', async () => {
    for (const { place, code } of inLanguage('jsonl')) {
      expect({ place, complaint: await replayComplaint(code) }).toEqual({ place, complaint: null });
    }
    expect(await replayComplaint('{"t":0}\n')).toContain('1');
  });
});
