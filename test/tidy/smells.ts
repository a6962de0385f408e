import { type Finding, isSource, isTest, type SourceFile } from './repository.ts';
import { lineOf, memberName, parseFile, visitFile } from './syntax.ts';

const longestFileLines = 400;
const bareErrors = new Set(['Error', 'TypeError', 'RangeError', 'SyntaxError']);

/** Files of the library that no longer fit in the head. */
export function giantFiles(files: readonly SourceFile[]): Finding[] {
  return files.filter(isLibrary).flatMap((file) => {
    const lines = file.text.trimEnd().split('\n').length;
    return lines <= longestFileLines ? [] : [{ path: file.path, line: 0, what: `has ${lines} lines` }];
  });
}

/**
 * `export … from` anywhere but in the entry of a subpath, told once per file, and `export *` even there: an entry names
 * what it promises. `entries` are the paths of the entries.
 */
export function barrels(files: readonly SourceFile[], entries: ReadonlySet<string>): Finding[] {
  return files.filter(isLibrary).flatMap((file) => {
    const stars = visitFile(file, (found) => ({
      ExportAllDeclaration: (node) => found(node, 'export * from'),
    }));
    const [firstReexport] = visitFile(file, (found) => ({
      ExportNamedDeclaration: (node) => {
        if (node.source !== null) found(node, 're-exports, but the exports of package.json do not name it');
      },
    }));
    return firstReexport === undefined || entries.has(file.path) ? stars : [...stars, firstReexport];
  });
}

/** The sources of the entries that package.json publishes: `./dist/x/index.js` is `src/x/index.ts`. */
export function publicEntries(packageJson: string): Set<string> {
  const { exports } = JSON.parse(packageJson) as { exports: Record<string, unknown> };
  const targets = JSON.stringify(exports).match(/\.\/dist\/[^"]+\.js/g) ?? [];
  return new Set(targets.map((target) => target.replace('./dist/', 'src/').replace(/\.js$/, '.ts')));
}

/** `export default`: a thing has one name everywhere. Tools that ask for one get it in their `*.config.ts`. */
export function defaultExports(files: readonly SourceFile[]): Finding[] {
  const judged = files.filter(({ path }) => /\.(ts|mjs)$/.test(path) && !/\.config\.ts$/.test(path));
  return judged.flatMap((file) =>
    visitFile(file, (found) => ({ ExportDefaultDeclaration: (node) => found(node, 'a default export') })),
  );
}

/** Errors thrown past the catalogue of faults. */
export function bareThrows(files: readonly SourceFile[]): Finding[] {
  return files.filter(isLibrary).flatMap((file) =>
    visitFile(file, (found) => ({
      ThrowStatement: (node) => {
        const thrown = node.argument;
        if (thrown.type !== 'NewExpression' || thrown.callee.type !== 'Identifier') return;
        if (bareErrors.has(thrown.callee.name)) found(node, `throws a bare ${thrown.callee.name}: use Fault`);
      },
    })),
  );
}

/** Errors caught and dropped, by a clause or by a promise's `catch`. A comment does not handle an error. */
export function swallowedErrors(files: readonly SourceFile[]): Finding[] {
  return files.filter(isLibrary).flatMap((file) =>
    visitFile(file, (found) => ({
      CatchClause: (node) => {
        if (node.body.body.length === 0) found(node, 'an empty catch');
      },
      CallExpression: (node) => {
        const [handler] = node.arguments;
        if (node.callee.type !== 'MemberExpression' || node.callee.property.type !== 'Identifier') return;
        if (node.callee.property.name !== 'catch' || handler?.type !== 'ArrowFunctionExpression') return;
        const { body } = handler;
        const empty =
          body.type === 'BlockStatement' ? body.body.length === 0 : memberName(body) === 'undefined';
        if (empty) found(node, 'a catch that drops the error');
      },
    })),
  );
}

/** Ways around the compiler and the linter. */
export function typeEscapes(files: readonly SourceFile[]): Finding[] {
  return files.filter(isLibrary).flatMap((file) => [
    ...visitFile(file, (found) => ({
      TSAsExpression: (node) => {
        if (node.typeAnnotation.type === 'TSAnyKeyword') found(node, 'as any');
        const inner = node.expression;
        if (inner.type === 'TSAsExpression' && inner.typeAnnotation.type === 'TSUnknownKeyword') {
          found(node, 'as unknown as');
        }
      },
    })),
    ...parseFile(file).comments.flatMap(({ value, start }) => {
      const mark = value.match(/@ts-ignore|@ts-nocheck|@ts-expect-error|biome-ignore/)?.[0];
      return mark === undefined ? [] : [{ path: file.path, line: lineOf(file, start), what: mark }];
    }),
  ]);
}

/** The environment is read in one place, so that every setting has one schema, one default and one page. */
export function environmentReads(files: readonly SourceFile[]): Finding[] {
  return files
    .filter((file) => isLibrary(file) && !file.path.startsWith('src/config/'))
    .flatMap((file) =>
      visitFile(file, (found) => ({
        MemberExpression: (node) => {
          if (memberName(node) === 'process.env') found(node, 'reads the environment: only src/config does');
        },
      })),
    );
}

const durations: ReadonlySet<string> = new Set(['SECOND_MS', 'MINUTE_MS', 'HOUR_MS', 'DAY_MS']);
const durationsFile = 'src/core/duration.ts';

/** Lengths of time that are named once more, and perhaps wrongly. */
export function ownDurations(files: readonly SourceFile[]): Finding[] {
  return files
    .filter((file) => isLibrary(file) && file.path !== durationsFile)
    .flatMap((file) =>
      visitFile(file, (found) => ({
        VariableDeclarator: (node) => {
          if (node.id.type !== 'Identifier' || !durations.has(node.id.name)) return;
          found(node, `names ${node.id.name} anew: ${durationsFile} has it`);
        },
      })),
    );
}

const hollowMatchers = new Set(['toBeDefined', 'toBeTruthy']);
const sleeping =
  /^(x(it|test|describe)|f(it|describe))$|^(it|test|describe|suite|bench)\.(.*\.)?(skip|only|todo)$/;

/** Tests that prove nothing: mocks of modules, assertions that hardly fail, tests that do not run. */
export function testTheatre(files: readonly SourceFile[]): Finding[] {
  return files
    .filter(({ path }) => isTest(path) && /\.(ts|mjs)$/.test(path))
    .flatMap((file) =>
      visitFile(file, (found) => ({
        CallExpression: (node) => {
          const name = memberName(node.callee);
          if (name === 'vi.mock' || name === 'vi.doMock') found(node, `${name} replaces a module`);
          if (name !== null && sleeping.test(name))
            found(node, `${name} does not run, or keeps others from running`);
          if (node.callee.type !== 'MemberExpression' || node.callee.property.type !== 'Identifier') return;
          const matcher = node.callee.property.name;
          if (hollowMatchers.has(matcher)) found(node, `${matcher} passes with nearly every value`);
        },
      })),
    );
}

function isLibrary(file: SourceFile): boolean {
  return isSource(file.path);
}
