import { pathToFileURL } from 'node:url';
import { type Bench, type BenchResult, toResult, toTable } from './runner.ts';

/** Runs one compiled bench: `node main.js FILE NAME [--json]`. Apart from the runner, which benches import. */
async function main(file: string, name: string, asJson: boolean): Promise<void> {
  const bench: Bench = await import(pathToFileURL(file).href);
  const results: BenchResult[] = [];
  await bench.run((measurement) => {
    const result = toResult(name, measurement);
    results.push(result);
    if (asJson) console.log(JSON.stringify(result));
    else if (process.stderr.isTTY) console.error(`measured: ${result.metric}`);
  });
  if (!asJson) console.log(toTable(results).join('\n'));
}

const [, , file = '', name = '', format] = process.argv;
await main(file, name, format === '--json');
