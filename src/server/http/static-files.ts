import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { extname, join, relative, sep } from 'node:path';
import type { RouteAnswer } from '../route.ts';

/** Nothing inline, nothing from elsewhere, and no page may frame the console. */
const contentSecurityPolicy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "font-src 'self'",
  "connect-src 'self'",
  "worker-src 'self'",
  "manifest-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

const pageHeaders = {
  'Content-Security-Policy': contentSecurityPolicy,
  'Referrer-Policy': 'no-referrer',
  'X-Frame-Options': 'DENY',
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cross-Origin-Resource-Policy': 'same-origin',
} as const;

const types: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.ico': 'image/x-icon',
  '.json': 'application/json; charset=utf-8',
  '.jsonl': 'application/x-ndjson; charset=utf-8',
  '.webmanifest': 'application/manifest+json',
  '.woff2': 'font/woff2',
  '.txt': 'text/plain; charset=utf-8',
};

/** Gives the file of a path, or null; 304 without a body where the browser has it already. */
export type Files = (path: string, knownTag?: string) => RouteAnswer | null;

/**
 * The files of a folder, read once into memory: a request can name what was there at the start, and nothing else. The
 * names of built assets carry their hash, so they may be kept by browsers; the page itself is asked for anew.
 */
export function readFiles(folder: string): Files {
  if (!existsSync(join(folder, 'index.html'))) return () => null;
  const answers = new Map<string, RouteAnswer>();
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue;
    const full = join(entry.parentPath, entry.name);
    const path = `/${relative(folder, full).split(sep).join('/')}`;
    answers.set(path, answerOf(path, readFileSync(full)));
  }
  const page = answers.get('/index.html');
  if (page !== undefined) answers.set('/', page);
  return (path, knownTag) => {
    const answer = answers.get(path);
    if (answer === undefined) return null;
    return knownTag !== undefined && knownTag === answer.headers?.ETag
      ? { ...answer, status: 304, body: '' }
      : answer;
  };
}

function answerOf(path: string, body: Buffer): RouteAnswer {
  const isHashed = path.startsWith('/assets/');
  return {
    status: 200,
    headers: {
      'Content-Type': types[extname(path)] ?? 'application/octet-stream',
      'Cache-Control': isHashed ? 'public, max-age=31536000, immutable' : 'no-cache',
      ETag: `"${createHash('sha256').update(body).digest('base64url').slice(0, 22)}"`,
      ...pageHeaders,
    },
    body,
  };
}
