import { describe, expect, it } from 'vitest';
import { allBlocks, blocksIn } from './blocks.ts';

/** Languages whose blocks another test of this folder compiles, parses or runs. */
const checked = new Set(['ts', 'js', 'bash', 'sh', 'yaml', 'json', 'jsonl']);
/** What is shown, not run: output, pictures, formats. Blocks without a word are these too. */
const shown = new Set(['text', '']);

const blocks = allBlocks();

describe('every block of the documents', () => {
  it('is in a language that is checked, is shown only, or says why it cannot be run', () => {
    const unknown = blocks.filter(
      ({ language, notRun }) => !checked.has(language) && !shown.has(language) && notRun === null,
    );
    expect(unknown.map(({ place, language }) => `${place} ${language}`)).toEqual([]);
  });

  it('gives a reason worth reading where it is not run', () => {
    const reasons = blocks.flatMap(({ notRun, place }) => (notRun === null ? [] : [{ notRun, place }]));
    expect(reasons.filter(({ notRun }) => notRun.split(' ').length < 4)).toEqual([]);
  });

  it('waits for the store that it decides by: what comes while one opens is refused', () => {
    const opens = /create(Redis|Postgres|Lmdb)Store\(/;
    const decides = /create(Guard|Limiter)\(|new PortcullisStore\(/;
    const deciding = blocks.filter(({ code }) => opens.test(code) && decides.test(code));
    expect(deciding.length).toBeGreaterThan(5);
    expect(deciding.filter(({ code }) => !code.includes('.ready()')).map(({ place }) => place)).toEqual([]);
  });

  it('is found where it stands', () => {
    const text =
      'a\n\n```ts\nx\n```\n- b\n\n  <!-- not run: needs a server of yours -->\n  ```yaml\n  y:\n    z\n  ```\n';
    expect(blocksIn('a.md', text)).toEqual([
      { document: 'a.md', place: 'a.md:4', language: 'ts', code: 'x\n', notRun: null },
      {
        document: 'a.md',
        place: 'a.md:10',
        language: 'yaml',
        code: 'y:\n  z\n',
        notRun: 'needs a server of yours',
      },
    ]);
  });

  it('is found: there are more than 60', () => {
    expect(blocks.length).toBeGreaterThan(60);
  });
});
