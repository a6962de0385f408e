import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { serviceDefaults } from '../../src/config/service-defaults.ts';
import { blocksIn, textOf } from './blocks.ts';
import { objectionTo } from './program.ts';

const guide = 'docs/guides/service.md';
const blockOf = (language: string): string =>
  blocksIn(guide, textOf(guide)).find((block) => block.language === language)?.code ?? '';
const unit = blockOf('ini');
const container = blockOf('dockerfile');

const main = (JSON.parse(textOf('package.json')) as { bin: { portcullis: string } }).bin.portcullis;
const installed = `node_modules/portcullis/${main.replace('./', '')}`;
const configPage = textOf('docs/reference/config.md');

/** Variables of ours that a text sets and the reference does not have. */
function unknownVariables(text: string): string[] {
  const named = [...text.matchAll(/\b(PORTCULLIS_\w+)=/g)].map(([, name = '']) => name);
  expect(named.length).toBeGreaterThan(0);
  return named.filter((name) => !configPage.includes(`\`${name}\``));
}

describe('the unit for systemd', () => {
  const [, command = ''] = /^ExecStart=(.*)$/m.exec(unit) ?? [];

  it('starts the program that the package has, with flags that it takes', () => {
    const [, script = '', ...args] = command.split(' ');
    expect(script.endsWith(`/${installed}`)).toBe(true);
    expect(objectionTo(args)).toBe(null);
  });

  it('sets variables that there are', () => {
    expect(unknownVariables(unit)).toEqual([]);
    expect(unknownVariables('PORTCULLIS_NOTHING=1')).toEqual(['PORTCULLIS_NOTHING']);
  });

  it('waits longer than a drain takes, and has files for all connections', () => {
    const numberOf = (field: string) => Number(new RegExp(`^${field}=(\\d+)$`, 'm').exec(unit)?.[1]);
    const { drainMs, maxConnections } = serviceDefaults.listen;
    expect(numberOf('TimeoutStopSec') * 1000).toBeGreaterThan(drainMs + 1000);
    // HTTP and gRPC have as many each; the agent of HAProxy, stores and files need some too.
    expect(numberOf('LimitNOFILE')).toBeGreaterThan(3 * maxConnections);
  });
});

const hasSystemd = spawnSync('systemd-analyze', ['--version']).status === 0;

// Only where it can run: systemd is not what tests install.
if (hasSystemd) {
  describe('systemd', () => {
    it('understands every line of the unit, and finds little that it leaves open', () => {
      const folder = mkdtempSync(join(tmpdir(), 'portcullis-unit-'));
      const path = join(folder, 'portcullis.service');
      writeFileSync(path, unit.replace('/usr/bin/node', process.execPath));
      const verified = spawnSync('systemd-analyze', ['verify', path], { encoding: 'utf8' });
      const judged = spawnSync(
        'systemd-analyze',
        ['security', '--offline=true', '--threshold=20', '--no-pager', path],
        { encoding: 'utf8' },
      );
      rmSync(folder, { recursive: true });
      const complaints = verified.stderr.split('\n').filter((line) => line.includes('portcullis'));
      expect(complaints).toEqual([]);
      expect([judged.status, judged.stdout.trim().split('\n').at(-1)]).toEqual([
        0,
        expect.stringContaining('Overall exposure level'),
      ]);
    });
  });
}

describe('the container file', () => {
  const lines = container.replace(/\\\n/g, ' ').trim().split('\n');
  const argument = (instruction: string): string =>
    lines.find((line) => line.startsWith(`${instruction} `))?.slice(instruction.length + 1) ?? '';

  it('starts the program that the package has, with flags that it takes', () => {
    const [node, script, ...args] = [argument('ENTRYPOINT'), argument('CMD')].flatMap(
      (list) => JSON.parse(list) as string[],
    );
    expect([node, script]).toEqual(['node', installed]);
    expect(objectionTo(args)).toBe(null);
  });

  it('sets variables that there are, and keeps the data folder', () => {
    expect(unknownVariables(container)).toEqual([]);
    expect(container).toContain(`PORTCULLIS_DATA=${argument('VOLUME')} `);
    expect(argument('EXPOSE')).toBe(`${serviceDefaults.listen.port} ${serviceDefaults.listen.grpcPort}`);
  });

  it('has the version that there is', () => {
    const { version } = JSON.parse(textOf('package.json')) as { version: string };
    expect(argument('COPY')).toBe(`portcullis-${version}.tgz ./`);
  });

  it('has a line in its shell that a shell understands', () => {
    execFileSync('sh', ['-n', '-c', argument('RUN')]);
  });
});
