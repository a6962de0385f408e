import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { root } from './blocks.ts';
import { span } from './pictures/drawing.ts';
import { decisionPicture, keysPicture, layersPicture } from './pictures/house.ts';
import { budgetPicture, guessingPicture, ladderPicture } from './pictures/levels.ts';
import { modesPicture } from './pictures/outage.ts';

const pathOf = (name: string) => join(root, 'docs', name);

/** `npx vitest run test/docs/pictures.test.ts -u` draws them anew. */
describe('the pictures of the documents', () => {
  it.each([
    ['internals/img/layers.svg', layersPicture],
    ['internals/img/decision.svg', decisionPicture],
    ['concepts/img/keys.svg', keysPicture],
    ['concepts/img/ladder.svg', ladderPicture],
    ['concepts/img/guessing.svg', guessingPicture],
    ['concepts/img/budget.svg', budgetPicture],
    ['concepts/img/modes.svg', modesPicture],
  ])('%s shows what the code does now', async (name, draw) => {
    await expect(await draw()).toMatchFileSnapshot(pathOf(name));
  });

  it('name every folder of src', () => {
    const drawn = layersPicture();
    const folders = readdirSync(join(root, 'src'), { withFileTypes: true }).filter((entry) =>
      entry.isDirectory(),
    );
    expect(folders.map(({ name }) => name).filter((name) => !drawn.includes(`>${name}<`))).toEqual([]);
  });

  it('say times as people do', () => {
    expect([15_000, 60_000, 300_000, 3_600_000, 86_400_000, 7_776_000_000, 250].map(span)).toEqual([
      '15 s',
      '1 min',
      '5 min',
      '1 h',
      '24 h',
      '90 d',
      '250 ms',
    ]);
  });
});
