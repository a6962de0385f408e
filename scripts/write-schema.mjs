#!/usr/bin/env node
// Writes the JSON Schema of the service's configuration where the documentation publishes it. Needs a build: it asks the
// command line, which is what users ask.
import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const root = new URL('..', import.meta.url);
const cli = fileURLToPath(new URL('dist/cli/main.js', root));
const { status, stdout, stderr } = spawnSync(process.execPath, [cli, 'config', 'schema'], {
  encoding: 'utf8',
});
if (status !== 0) {
  process.stderr.write(stderr);
  console.error('write-schema: build first (npm run build)');
  process.exit(1);
}
const path = fileURLToPath(new URL('docs/reference/config.schema.json', root));
writeFileSync(path, stdout);
const biome = fileURLToPath(new URL('node_modules/@biomejs/biome/bin/biome', root));
const formatted = spawnSync(process.execPath, [biome, 'format', '--write', path], { stdio: 'inherit' });
if (formatted.status !== 0) process.exit(1);
console.log(`wrote ${path}`);
