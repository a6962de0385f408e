import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, describe, expect, it } from 'vitest';
import { compilerPath, entries } from '../servers/installed-package.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));
/** Documents whose code is whole: each block can be copied into a file and compiled. */
const documents = [
  'README.md',
  'docs/concepts/backpressure.md',
  'docs/concepts/devices.md',
  'docs/concepts/limits.md',
  'docs/guides/express.md',
  'docs/guides/migrating-from-express-rate-limit.md',
  'docs/guides/migrating-from-fastify-rate-limit.md',
  'docs/guides/migrating-from-rate-limiter-flexible.md',
];

/** What a reader has at hand: names that the code uses and does not explain. Here, not in a file, or tests would see them. */
const reader = `
interface User { readonly name: string }
declare const secret: string;
declare const account: string;
declare const ip: string;
declare const ua: string;
declare const device: { readonly id: string; readonly confidence: 'LOW' | 'MEDIUM' | 'HIGH' } | null;
declare const email: string;
declare const password: string;
declare const friendsToken: string;
declare const request: import('node:http').IncomingMessage;
declare function blindIndex(email: string): string;
declare function verifyPassword(email: string, password: string): Promise<User | null>;
declare function search(text: string): Promise<readonly string[]>;
declare function pressure(): number;
declare function signIn(user: User): void;
declare function tellToComeBack(retryAfterMs: number): void;
`;

interface Block {
  /** The document and the line on which the block begins. */
  readonly place: string;
  readonly code: string;
}

function blocksOf(document: string): Block[] {
  const text = readFileSync(join(root, document), 'utf8');
  return [...text.matchAll(/^```ts\n(.*?)^```$/gms)].map(({ 1: code = '', index }) => ({
    place: `${document}:${text.slice(0, index).split('\n').length + 1}`,
    code,
  }));
}

const cache = join(root, 'node_modules', '.cache', 'portcullis');
mkdirSync(cache, { recursive: true });
const folder = mkdtempSync(join(cache, 'documents-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Checks all blocks at once, each as a module of its own; gives what the compiler says, by place. */
function complaintsAbout(blocks: readonly Block[]): string[] {
  const files = blocks.map(({ code }, index) => {
    const file = join(folder, `block-${index}.ts`);
    writeFileSync(file, `${code}\nexport {};\n`);
    return file;
  });
  const paths = Object.entries(entries).map(([name, file]) => [
    name.replace(/^\./, 'portcullis'),
    [join(root, 'src', file)],
  ]);
  const compilerOptions = {
    noEmit: true,
    noUnusedLocals: false,
    skipLibCheck: true,
    typeRoots: [join(root, 'node_modules', '@types')],
    paths: Object.fromEntries(paths),
  };
  const project = join(folder, 'tsconfig.json');
  const readersNames = join(folder, 'reader.d.ts');
  writeFileSync(readersNames, reader);
  writeFileSync(
    project,
    JSON.stringify({
      extends: join(root, 'tsconfig.json'),
      compilerOptions,
      files: [readersNames, ...files],
      include: [],
    }),
  );
  return said(project)
    .split('\n')
    .filter((line) => /block-\d+\.ts/.test(line))
    .map((line) => line.replace(/^.*block-(\d+)\.ts/, (_, index) => blocks[Number(index)]?.place ?? ''));
}

function said(project: string): string {
  try {
    execFileSync(process.execPath, [compilerPath(), '-p', project], { cwd: root, encoding: 'utf8' });
    return '';
  } catch (error) {
    return error instanceof Error && 'stdout' in error ? String(error.stdout) : String(error);
  }
}

describe('code in the documents', () => {
  it('compiles against the package as it is', () => {
    const blocks = documents.flatMap(blocksOf);
    expect(blocks.length).toBeGreaterThanOrEqual(12);
    expect(complaintsAbout(blocks)).toEqual([]);
  });

  it('would be caught otherwise', () => {
    const wrong = [
      { place: 'here:1', code: "import { nothing } from 'portcullis/limits';\nconst x: string = 1;" },
    ];
    expect(complaintsAbout(wrong)).toHaveLength(2);
  });
});
