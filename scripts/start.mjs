// `npm start`: the shortest way to see Portcullis decide. Replays a bundled day of traffic and sums it up.
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { root, say, setUp } from './setup.mjs';

if (!setUp()) process.exit(1);
const cli = join(root, 'dist', 'cli', 'main.js');
if (!existsSync(cli)) {
  say('there is no dist/cli/main.js: this version has no command line');
  process.exit(1);
}

const extra = process.argv.slice(2);
const command =
  extra.length > 0 ? extra : ['replay', '--summary', '--quiet', join('examples', 'sample-day.jsonl')];
if (extra.length === 0) {
  console.error(
    'A day of traffic with five attacks in it, replayed. Your own: node dist/cli/main.js replay FILE',
  );
  console.error('Every command: node dist/cli/main.js --help. Documentation: docs/README.md.\n');
}
const result = spawnSync(process.execPath, [cli, ...command], { cwd: root, stdio: 'inherit' });
process.exit(result.status ?? 1);
