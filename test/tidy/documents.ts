import { posix } from 'node:path';
import type { Finding, SourceFile } from './repository.ts';

const errorsPage = 'docs/reference/errors.md';
const decisionsFolder = 'docs/decisions/';

/**
 * Differences between the catalogue of faults and its page: a code that only one of them has, or another
 * meaning. Rows of the page look like `| \`CODE\` | meaning | what to do |`.
 */
export function catalogueGaps(catalogue: Readonly<Record<string, string>>, page: string): Finding[] {
  const rows = new Map(
    [...page.matchAll(/^\| `([A-Z_]+)` \| (.*?) \|/gm)].map(([, code = '', meaning = '']) => [code, meaning]),
  );
  const finding = (what: string): Finding => ({ path: errorsPage, line: 0, what });
  return [
    ...Object.entries(catalogue).flatMap(([code, meaning]) => {
      if (!rows.has(code)) return [finding(`has no row for ${code}: ${meaning}`)];
      return rows.get(code) === meaning ? [] : [finding(`says of ${code} something else than: ${meaning}`)];
    }),
    ...[...rows.keys()]
      .filter((code) => !(code in catalogue))
      .map((code) => finding(`has a row for ${code}, which is gone`)),
  ];
}

/**
 * Relative links that lead nowhere, by file or by heading. `exists` answers for files that are no documents, with
 * a path relative to the root.
 */
export function deadLinks(files: readonly SourceFile[], exists: (path: string) => boolean): Finding[] {
  const documents = new Map(
    files.filter(({ path }) => path.endsWith('.md')).map((file) => [file.path, file]),
  );
  return [...documents.values()].flatMap((file) =>
    linksOf(file).flatMap(({ target, line }) => {
      const [relativePath = '', heading] = target.split('#');
      const path =
        relativePath === '' ? file.path : posix.join(posix.dirname(file.path), decodeURI(relativePath));
      const document = documents.get(path);
      const found = document !== undefined || exists(path.replace(/\/$/, ''));
      const reached = heading === undefined || document === undefined || headingsOf(document).has(heading);
      return found && reached
        ? []
        : [{ path: file.path, line, what: `links to ${target}, which is not there` }];
    }),
  );
}

function linksOf(file: SourceFile): { target: string; line: number }[] {
  return proseLines(file).flatMap(({ text, line }) =>
    [...text.matchAll(/\]\(([^)\s]+)(?:\s+"[^"]*")?\)/g)]
      .map(([, target = '']) => ({ target, line }))
      .filter(({ target }) => !/^[a-z]+:/.test(target)),
  );
}

/** The anchors a document offers, as GitHub and npm make them. */
function headingsOf(file: SourceFile): Set<string> {
  const anchors = proseLines(file)
    .map(({ text }) => /^#+ (.*)$/.exec(text)?.[1])
    .filter((heading) => heading !== undefined)
    .map((heading) =>
      heading
        .toLowerCase()
        .replace(/[^\p{L}\p{N}\s_-]/gu, '')
        .replaceAll(' ', '-'),
    );
  return new Set(anchors);
}

/** The lines of a document outside of its code, where brackets are not links and # is no heading. */
function proseLines(file: SourceFile): { text: string; line: number }[] {
  let inCode = false;
  return file.text.split('\n').flatMap((text, index) => {
    if (/^\s*(```|~~~)/.test(text)) {
      inCode = !inCode;
      return [];
    }
    return inCode
      ? []
      : [{ text: text.replace(/`[^`]*`/g, (code) => (text.startsWith('#') ? code : '')), line: index + 1 }];
  });
}

/** Decision records that the index does not list, that are not named `NNNN-name.md` or lack one of their parts. */
export function decisionGaps(files: readonly SourceFile[]): Finding[] {
  const index = files.find(({ path }) => path === `${decisionsFolder}README.md`)?.text ?? '';
  return files
    .filter(
      ({ path }) => path.startsWith(decisionsFolder) && path.endsWith('.md') && !path.endsWith('/README.md'),
    )
    .flatMap(({ path, text }) => {
      const name = path.slice(decisionsFolder.length);
      const gaps = [
        ...(index.includes(`](${name})`) ? [] : ['is not in the index']),
        ...(/^\d{4}-[a-z0-9-]+\.md$/.test(name) ? [] : ['is not named NNNN-name.md']),
        ...['Context', 'Decision', 'Consequences']
          .filter((part) => !text.includes(`\n## ${part}\n`))
          .map((part) => `has no part "${part}"`),
      ];
      return gaps.map((what) => ({ path, line: 0, what }));
    });
}
