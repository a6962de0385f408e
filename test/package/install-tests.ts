import { describe, expect, it } from 'vitest';
import { nodeLines } from './nodes.ts';
import { npm } from './npm.ts';
import type { PackedPackage } from './packed-package.ts';
import { startService } from './served.ts';
import type { Strangers } from './strangers.ts';

const event = { t: 0, op: 'fail', action: 'auth.login', account: 'a1', ip: '203.0.113.7' };

const minutes = 60_000;

/** An empty project, each line of Node: what the package promises without anything beside it. */
export function testInstalls(packed: () => PackedPackage, strangers: Strangers): void {
  describe.each(nodeLines)('in an empty project, Node %i', (line) => {
    it('installs without a complaint', { timeout: 5 * minutes }, async (context) => {
      const { installed } = await strangers.on(line, context);
      expect(installed.stderr).not.toMatch(/EBADENGINE|deprecated|ERESOLVE|portcullis/);
      expect(installed).toMatchObject({ code: 0, stdout: expect.stringMatching(/added \d+ packages/) });
    });

    it('every module can be imported', { timeout: 2 * minutes }, async (context) => {
      const stranger = await strangers.on(line, context);
      const { modules } = packed();
      expect(modules).toEqual(
        expect.arrayContaining(['portcullis', 'portcullis/server', 'portcullis/abuse']),
      );
      const { stdout, stderr } = await stranger.runModule(`
        for (const name of ${JSON.stringify(modules)}) {
          const names = Object.keys(await import(name));
          if (names.length === 0) console.error(name, 'exports nothing');
          console.log(name);
        }`);
      expect({ stderr, imported: stdout.trim().split('\n') }).toEqual({ stderr: '', imported: modules });
    });

    it('every module can be required', { timeout: 2 * minutes }, async (context) => {
      const stranger = await strangers.on(line, context);
      const { modules } = packed();
      const { stdout, stderr } = await stranger.runModule(`
        import { createRequire } from 'node:module';
        const require = createRequire(import.meta.url);
        for (const name of ${JSON.stringify(modules)}) if (Object.keys(require(name)).length > 0) console.log(name);`);
      expect(stderr).not.toContain('Error');
      expect(stdout.trim().split('\n')).toEqual(modules);
    });

    it('a guard decides', async (context) => {
      const stranger = await strangers.on(line, context);
      const { stdout } = await stranger.runModule(`
        import { createGuard } from 'portcullis';
        import { createMemoryStore } from 'portcullis/memory';
        const guard = createGuard({ secret: 'sixteen bytes or more', store: createMemoryStore() });
        const request = { action: 'auth.login', account: 'ada', ip: '203.0.113.7' };
        const answers = [];
        for (const right of [true, false, false, true]) answers.push(await guard.attempt(request, () => right && 'Ada'));
        console.log(JSON.stringify(answers.map(({ allowed }) => allowed)));`);
      expect(JSON.parse(stdout)).toEqual([true, false, false, false]);
    });

    it('npx portcullis explains itself', async (context) => {
      const { node, folder } = await strangers.on(line, context);
      const { code, stdout } = await npm(node, ['exec', '--', 'portcullis', '--help'], folder);
      expect(code).toBe(0);
      expect(stdout).toMatch(/^Usage: portcullis .*\n {2}replay .*/s);
    });

    it('replays a file', async (context) => {
      const stranger = await strangers.on(line, context);
      const events = [0, 1, 2, 3].map((t) => JSON.stringify({ ...event, t }));
      stranger.write('events.jsonl', `${events.join('\n')}\n`);
      const { code, stdout, stderr } = await stranger.portcullis(['replay', 'events.jsonl']);
      expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
      const outcomes = stdout
        .trim()
        .split('\n')
        .map((text) => JSON.parse(text).outcome);
      expect(outcomes).toEqual(['ALLOW', 'HARD_BLOCK', 'HARD_BLOCK', 'HARD_BLOCK']);
    });

    it('serves decisions and the console', { timeout: 2 * minutes }, async (context) => {
      const stranger = await strangers.on(line, context);
      const service = await startService(stranger, ['--store', 'memory', '--port', '0']);
      try {
        const { t: _, op: __, ...subject } = event;
        const decided = await fetch(`${service.url}/v1/check`, {
          method: 'POST',
          headers: { 'content-type': 'application/json' },
          body: JSON.stringify(subject),
        });
        expect([decided.status, await decided.json()]).toEqual([
          200,
          expect.objectContaining({ outcome: 'ALLOW', mode: 'NORMAL' }),
        ]);
        const page = await fetch(service.url);
        expect([page.status, await page.text()]).toEqual([200, expect.stringContaining('<title>Portcullis')]);
      } finally {
        expect(await service.end()).toBe(0);
      }
    });
  });
}
