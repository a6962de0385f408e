// `npm test [-- ARGS]`: everything there is to test. Ends with one line, `N passed, N failed[, N skipped]`.
import { existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { buildConsole } from './build-console.mjs';
import { missingServers } from './servers.mjs';
import { cache, run, say, setUp } from './setup.mjs';
import { countTests } from './test-count.mjs';

const strict = process.env.CI === 'true';
const built = setUp() && (await buildConsole());
const missing = missingServers();
const names = missing.map((server) => server.name).join(',');
const packages = missing.map((server) => server.package).join(' ');
if (missing.length > 0) say(`no ${names}: its tests are skipped; to run them: apt-get install ${packages}`);

const report = join(cache, `test-report-${process.pid}.json`);
mkdirSync(cache, { recursive: true });
const status = run(
  'vitest',
  ['run', '--reporter=default', '--reporter=json', `--outputFile.json=${report}`, ...process.argv.slice(2)],
  { ...process.env, PORTCULLIS_MISSING: names },
);
const count = countTests(existsSync(report) ? readFileSync(report, 'utf8') : null, status);
rmSync(report, { force: true });

if (!built) say('dist could not be built; the messages of the compiler stand above');
if (strict && count.skipped > 0) say('CI=true: a skipped test is a failure');
if (strict && missing.length > 0) say(`CI=true: a missing server is a failure (${names})`);
const failed = count.failed + (built ? 0 : 1);
console.log(
  `${count.passed} passed, ${failed} failed${count.skipped > 0 ? `, ${count.skipped} skipped` : ''}`,
);
process.exitCode = failed > 0 || (strict && (count.skipped > 0 || missing.length > 0)) ? 1 : 0;
