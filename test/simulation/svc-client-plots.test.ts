import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { renderPlots } from './svc-client/plots.ts';

const images = new URL('../../docs/concepts/img/', import.meta.url);

describe('the plots of the documentation', () => {
  it('show what the simulations give now, byte by byte (npm run plots draws them)', async () => {
    const plots = await renderPlots();
    expect(plots.size).toBe(2);
    for (const [name, svg] of plots) expect(readFileSync(new URL(name, images), 'utf8')).toBe(svg);
  });
});
