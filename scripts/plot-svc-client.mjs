// `node scripts/plot-svc-client.mjs`: draws the plots of docs/concepts/service-to-service.md from the simulations.
// The same code always draws the same bytes; a test compares them.
import { mkdirSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { runnerImport } from 'vite';

const plots = fileURLToPath(new URL('../test/simulation/svc-client/plots.ts', import.meta.url));
const images = new URL('../docs/concepts/img/', import.meta.url);

const { module } = await runnerImport(plots, { configFile: false, logLevel: 'warn' });
mkdirSync(images, { recursive: true });
for (const [name, svg] of await module.renderPlots()) {
  writeFileSync(new URL(name, images), svg);
  console.log(`docs/concepts/img/${name}`);
}
