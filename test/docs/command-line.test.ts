import type { Command } from 'commander';
import { describe, expect, it } from 'vitest';
import { textOf } from './blocks.ts';
import { commandsBelow, hollowProgram, pathOf } from './program.ts';

const page = textOf('docs/reference/command-line.md');
const program = hollowProgram();

/** The part of the page below `## NAME`. */
function sectionOf(text: string, name: string): string {
  const [, section = ''] = new RegExp(`^## ${name}\\n(.*?)(?=^## |(?![^]))`, 'ms').exec(text) ?? [];
  return section;
}

const longFlags = (command: Command): string[] =>
  [command, ...commandsBelow(command)].flatMap(({ options }) => options.map(({ long }) => long ?? ''));

/** Options that a part of the page names. Words of another program would be a `--flag` too; there are none. */
const namedFlags = (text: string): string[] => [...text.matchAll(/--[a-z][a-z-]+/g)].map(([flag]) => flag);

/** What the page and the commands do not agree on. */
function gaps(text: string): string[] {
  return program.commands.flatMap((command) => {
    const name = command.name();
    const section = sectionOf(text, name);
    if (section === '') return [`${name} has no part of its own`];
    const flags = new Set(longFlags(command));
    const named = new Set(namedFlags(section));
    return [
      ...[...flags].filter((flag) => !named.has(flag)).map((flag) => `${name} ${flag} is not on the page`),
      ...[...named].filter((flag) => !flags.has(flag)).map((flag) => `${name} does not take ${flag}`),
      ...commandsBelow(command)
        .map(pathOf)
        .filter((path) => !text.includes(path))
        .map((path) => `${path} is not on the page`),
    ];
  });
}

describe('the page of the command line', () => {
  it('names every command and option there is, and no other', () => {
    expect(gaps(page)).toEqual([]);
  });

  it('lists every command in its table', () => {
    const listed = [...page.matchAll(/^\| `([a-z]+)[^|]*\|/gm)].map(([, name]) => name);
    expect(
      program.commands.map((command) => command.name()).filter((name) => !listed.includes(name)),
    ).toEqual([]);
  });

  it('would be caught otherwise', () => {
    const wrong = page.replace('`--seed N`', '`--sed N`').replace('## drill', '## dril');
    expect(gaps(wrong)).toEqual([
      'drill has no part of its own',
      'prove --seed is not on the page',
      'prove does not take --sed',
    ]);
  });

  it('says of every option what the command calls a choice', () => {
    const choices = [program, ...commandsBelow(program)].flatMap((command) =>
      command.options.flatMap(({ argChoices = [] }) =>
        argChoices.map((choice) => ({ section: pathOf(command).split(' ')[0] ?? '', choice })),
      ),
    );
    const missing = choices.filter(({ choice }) => !page.includes(choice));
    expect(missing).toEqual([]);
  });
});
