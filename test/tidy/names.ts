import { type Finding, isSource, type SourceFile } from './repository.ts';

const kebabCase = /^[a-z0-9]+(-[a-z0-9]+)*(\.[a-z0-9]+(-[a-z0-9]+)*)*$/;
const rooms = /(^|-)(utils?|helpers?|common|shared|misc|manager|base|impl)$/;
const hype = /\b(robust\w*|comprehensive\w*|seamless\w*|production-ready|blazing\w*)\b/gi;

/** Files and folders of code whose names are not kebab-case, apart from the README that explains one. */
export function oddNames(files: readonly SourceFile[]): Finding[] {
  return files
    .filter(({ path }) => /^(src|test|bench|scripts|examples)\//.test(path))
    .filter(({ path }) => !path.split('/').every((name) => name === 'README.md' || kebabCase.test(name)))
    .map(({ path }) => ({ path, line: 0, what: 'is not kebab-case' }));
}

/** Names that say nothing about what is inside. */
export function roomNames(files: readonly SourceFile[]): Finding[] {
  return files
    .filter(({ path }) => isSource(path))
    .filter(({ path }) => path.split('/').some((name) => rooms.test(name.replace(/\..*$/, ''))))
    .map(({ path }) => ({ path, line: 0, what: 'is a room for anything: name what it does' }));
}

/** Words in documents that praise instead of telling. */
export function hypeWords(files: readonly SourceFile[]): Finding[] {
  return files
    .filter(({ path }) => path.endsWith('.md'))
    .flatMap((file) => matches(file, hype, (word) => `"${word}" praises`));
}

/** Paths of the machine somebody works on: the project has to make sense anywhere. */
export function privatePaths(files: readonly SourceFile[]): Finding[] {
  const workplace = /\/work\/\w+|\bshared\/hooks\b|\/(home|Users)\/[a-z]\w*\//g;
  return files.flatMap((file) => matches(file, workplace, (path) => `names ${path}`));
}

function matches(file: SourceFile, pattern: RegExp, what: (match: string) => string): Finding[] {
  return file.text
    .split('\n')
    .flatMap((text, index) =>
      [...text.matchAll(pattern)].map(([match]) => ({ path: file.path, line: index + 1, what: what(match) })),
    );
}
