// `node scripts/measure-records.mjs [COUNT]`: how many bytes a subject takes in each store, for docs/operating/capacity.md.
// Starts servers of its own where they are installed. Sizes, unlike times, come out much the same everywhere.
import { fileURLToPath } from 'node:url';
import { runnerImport } from 'vite';

const measures = fileURLToPath(new URL('../test/docs/measure/sizes-now.ts', import.meta.url));
const { module } = await runnerImport(measures, { configFile: false, logLevel: 'warn' });
const { results } = module;
const stores = Object.keys(results[0].sizes);
console.log(`| bytes for | ${stores.join(' | ')} |\n| --- |${' --- |'.repeat(stores.length)}`);
for (const { subject, sizes } of results) {
  const cells = stores.map((store) => sizes[store]?.toLocaleString('en') ?? '–');
  console.log(`| ${subject} | ${cells.join(' | ')} |`);
}
