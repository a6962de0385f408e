import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { allBlocks, root } from './blocks.ts';
import { objectionTo } from './program.ts';
import { type ShellCommand, shellCommands } from './shell-words.ts';

const manifest: {
  scripts: Record<string, string>;
  dependencies: Record<string, string>;
  devDependencies: Record<string, string>;
} = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));

/** Programs that every reader has, or is told to have. What they do is not ours to check. */
const systemPrograms = new Set(
  'cat cd curl cp grep head jq kill mkdir openssl psql redis-cli sha256sum sort systemctl tail tee tr xargs zcat'.split(
    ' ',
  ),
);

/** What is wrong with a command of a document; null when nothing is. */
function complaint(command: ShellCommand): string | null {
  const [program = '', first = '', ...rest] = command;
  if (program === 'npx' && first === 'portcullis') return objectionTo(rest);
  if (program === 'portcullis') return objectionTo([first, ...rest]);
  if (program === 'node' && first === 'dist/cli/main.js') return objectionTo(rest);
  if (program === 'node') return existsSync(join(root, first)) ? null : `${first} is not there`;
  if (program === 'npm') return npmComplaint(first, rest);
  return systemPrograms.has(program) ? null : `${program} is no program that is known here`;
}

function npmComplaint(verb: string, rest: readonly string[]): string | null {
  if (verb === 'install') {
    const installable = { ...manifest.dependencies, ...manifest.devDependencies, portcullis: '' };
    return rest.find((name) => !name.startsWith('-') && !(name in installable)) ?? null;
  }
  const script = verb === 'run' ? (rest[0] ?? '') : verb;
  return script in manifest.scripts ? null : `there is no script ${script}`;
}

const isShell = ({ language }: { language: string }) => language === 'bash' || language === 'sh';
const blocks = allBlocks().filter(({ notRun }) => notRun === null);
/** Blocks of any kind in which somebody is told to type `portcullis …` count as well. */
const typed = blocks
  .filter(({ language }) => language === '' || language === 'text')
  .flatMap(({ place, code }) =>
    shellCommands(
      code
        .split('\n')
        .filter((line) => /^(\$ )?portcullis /.test(line))
        .join('\n'),
    ).map((command) => ({ place, command })),
  );
const told = blocks
  .filter(isShell)
  .flatMap(({ place, code }) => shellCommands(code).map((command) => ({ place, command })));

describe('commands in the documents', () => {
  it('are found: there are more than 30', () => {
    expect(told.length).toBeGreaterThan(30);
  });

  it('are taken by the command line as they stand', () => {
    const wrong = [...told, ...typed].flatMap(({ place, command }) => {
      const what = complaint(command);
      return what === null ? [] : [`${place} ${command.join(' ')}: ${what}`];
    });
    expect(wrong).toEqual([]);
  });

  it('would be caught otherwise', () => {
    const complaints = (line: string) => shellCommands(line).map(complaint);
    expect(complaints('A=1 portcullis replay x --sumary | head')).toEqual([
      "error: unknown option '--sumary'\n(Did you mean --summary?)",
      null,
    ]);
    expect(complaints('portcullis blocks lift; npx portcullis nothing')).toEqual([
      "error: required option '--store <url>' not specified",
      "error: unknown command 'nothing'",
    ]);
    expect(complaints('npm run nothing # portcullis\nfrobnicate')).toEqual([
      'there is no script nothing',
      'frobnicate is no program that is known here',
    ]);
    expect(complaints('npm install portcullis left-pad-2')).toEqual(['left-pad-2']);
  });

  it('are read by words, as a shell does', () => {
    expect(shellCommands('A=$(x y) b "c d" \'e|f\' > g 2>&1 && h \\\n  i | j # k\n$ l')).toEqual([
      ['b', 'c d', 'e|f'],
      ['h', 'i'],
      ['j'],
      ['l'],
    ]);
  });
});
