// `node scripts/plot-concurrency.mjs`: draws the plots of docs/concepts/backpressure.md from the simulations.
// The same code always draws the same bytes; tests compare them.
import { mkdirSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { runnerImport } from 'vite';

const plots = fileURLToPath(new URL('../test/simulation/concurrency/plots.ts', import.meta.url));
const images = new URL('../docs/concepts/img/', import.meta.url);

const { module } = await runnerImport(plots, { configFile: false, logLevel: 'warn' });
mkdirSync(images, { recursive: true });
for (const [name, svg] of [...(await module.drawLoads()), await module.drawDay()]) {
  writeFileSync(new URL(name, images), svg);
  console.log(`docs/concepts/img/${name}`);
}
