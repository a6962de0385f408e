import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { compilerPath } from '../servers/installed-package.ts';
import { allBlocks, type Block, root } from './blocks.ts';

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
declare function sayWrongPassword(): void;
declare const log: { info(what: object): void; warn(what: object): void };
declare function page(what: object): void;
declare const svc: import('portcullis/svc-client').SvcClient;
declare const newOptions: import('portcullis/svc-client').SvcClientOptions;
declare function makeSomeSdk(options: { fetch: typeof fetch }): object;
`;

/** Where the types of each public entry come from: the sources, by the exports of the package. */
function sourcePaths(): Record<string, string[]> {
  const { exports } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  const entries: [string, { types?: string } | string][] = Object.entries(exports);
  return Object.fromEntries(
    entries.flatMap(([name, entry]) => {
      if (typeof entry === 'string' || entry.types === undefined) return [];
      const source = entry.types.replace(/^\.\/dist\/(.*)\.d\.ts$/, 'src/$1.ts');
      return [[name.replace(/^\./, 'portcullis'), [join(root, source)]]];
    }),
  );
}

const cache = join(root, 'node_modules', '.cache', 'portcullis');
mkdirSync(cache, { recursive: true });
const folder = mkdtempSync(join(cache, 'documents-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Checks all blocks at once, each as a module of its own; gives what the compiler says, by place. */
function complaintsAbout(blocks: readonly Pick<Block, 'place' | 'code'>[]): string[] {
  const files = blocks.map(({ code }, index) => {
    const file = join(folder, `block-${index}.ts`);
    writeFileSync(file, `${code}\nexport {};\n`);
    return file;
  });
  const compilerOptions = {
    noEmit: true,
    noUnusedLocals: false,
    noUnusedParameters: false,
    skipLibCheck: true,
    typeRoots: [join(root, 'node_modules', '@types')],
    paths: sourcePaths(),
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
    const blocks = allBlocks().filter(
      ({ language, notRun }) => (language === 'ts' || language === 'js') && notRun === null,
    );
    expect(blocks.length).toBeGreaterThanOrEqual(20);
    expect(complaintsAbout(blocks)).toEqual([]);
  });

  it('would be caught otherwise', () => {
    const wrong = [
      { place: 'here:1', code: "import { nothing } from 'portcullis/limits';\nconst x: string = 1;" },
    ];
    expect(complaintsAbout(wrong)).toHaveLength(2);
  });
});
