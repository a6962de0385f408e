import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { openEngine, openReplayStore } from '../../src/cli/engine-options.ts';
import { decisionLine } from '../../src/cli/replay/decision-line.ts';
import { parseEventLine } from '../../src/cli/replay/event-line.ts';
import { decideImmediately } from '../../src/cli/replay/replay.ts';

const folder = join(import.meta.dirname, '../../../shared/spec/examples');
const topics = existsSync(folder)
  ? readdirSync(folder).flatMap((file) =>
      file.endsWith('.events.jsonl') ? [file.replace('.events.jsonl', '')] : [],
    )
  : [];

const lines = (file: string) => readFileSync(join(folder, file), 'utf8').trimEnd().split('\n');

describe.runIf(topics.length > 0)('worked examples of the engine contract', () => {
  it.each(topics)('%s', async (topic) => {
    const { store, setTime } = openReplayStore();
    const decide = decideImmediately(await openEngine(), store.immediate, setTime);
    const expected = lines(`${topic}.decisions.jsonl`);
    for (const [index, line] of lines(`${topic}.events.jsonl`).entries()) {
      const event = parseEventLine(line);
      expect(decisionLine(event.t, await decide(event)), `line ${index + 1}`).toBe(expected[index]);
    }
  });
});
