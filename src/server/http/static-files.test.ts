import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { readFiles } from './static-files.ts';

const folder = mkdtempSync(join(tmpdir(), 'portcullis-files-'));
mkdirSync(join(folder, 'page', 'assets'), { recursive: true });
writeFileSync(join(folder, 'secret.txt'), 'not for you');
writeFileSync(join(folder, 'page', 'index.html'), '<!doctype html>');
writeFileSync(join(folder, 'page', 'assets', 'main-1a2b.js'), 'let x;');
symlinkSync(join(folder, 'secret.txt'), join(folder, 'page', 'link.txt'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe('files of the console', () => {
  const files = readFiles(join(folder, 'page'));

  it('are served with a policy that allows nothing inline and nothing from elsewhere', () => {
    const { status, headers = {}, body } = files('/') ?? { status: 404 };
    expect([status, String(body), headers['Content-Type']]).toEqual([
      200,
      '<!doctype html>',
      'text/html; charset=utf-8',
    ]);
    expect(headers['Content-Security-Policy']).toContain("default-src 'none'; script-src 'self';");
    expect(headers['Content-Security-Policy']).not.toContain('unsafe');
    expect(headers['Cache-Control']).toBe('no-cache');
  });

  it('are kept by browsers where their names carry a hash', () => {
    expect(files('/assets/main-1a2b.js')?.headers?.['Cache-Control']).toContain('immutable');
  });

  it('are not sent again to who has them', () => {
    const tag = files('/')?.headers?.ETag;
    expect(files('/', tag)).toMatchObject({ status: 304, body: '' });
    expect(files('/', '"other"')?.status).toBe(200);
  });

  it.each([
    '/../secret.txt',
    '/assets/../../secret.txt',
    '/%2e%2e/secret.txt',
    '/link.txt',
    '/assets',
    '/none',
  ])('are all there is: %s is not', (path) => {
    expect(files(path)).toBeNull();
  });

  it('may be missing: then nothing is served', () => {
    expect(readFiles(join(folder, 'nowhere'))('/')).toBeNull();
  });
});
