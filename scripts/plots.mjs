// `npm run plots`: draws the plots of docs/concepts from the simulations. The same code always draws the same bytes; tests
// compare them.
import { mkdirSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { runnerImport } from 'vite';

const simulations = new URL('../test/simulation/', import.meta.url);
const images = new URL('../docs/concepts/img/', import.meta.url);

const plotsOf = async (part) => {
  const path = fileURLToPath(new URL(`${part}/plots.ts`, simulations));
  const { module } = await runnerImport(path, { configFile: false, logLevel: 'warn' });
  return module;
};

const backpressure = await plotsOf('concurrency');
const calls = await plotsOf('svc-client');
mkdirSync(images, { recursive: true });
for (const [name, svg] of [
  ...(await backpressure.drawLoads()),
  await backpressure.drawDay(),
  ...(await calls.renderPlots()),
]) {
  writeFileSync(new URL(name, images), svg);
  console.log(`docs/concepts/img/${name}`);
}
