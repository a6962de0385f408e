/** One command of a shell line: its words, without variables set before it and without redirections. */
export type ShellCommand = readonly string[];

/**
 * The commands of a block of shell lines, as far as documents need it: quotes, comments, continued lines, pipes and lists,
 * `$(…)` as one word, variables set for one command, redirections.
 */
export function shellCommands(code: string): ShellCommand[] {
  return code
    .replaceAll('\\\n', ' ')
    .split('\n')
    .flatMap((line) => commandsOf(tokensOf(line.replace(/^\$ /, ''))));
}

type Token = { readonly word: string } | { readonly operator: string };

function tokensOf(line: string): Token[] {
  const tokens: Token[] = [];
  const pattern =
    /\s+|(#.*)|(\|\||&&|[|;&]|\d?>>?&?\d?|<)|((?:[^\s|;&<>"'$\\]|\\.|"(?:[^"\\]|\\.)*"|'[^']*'|\$\([^)]*\)|\$)+)/gy;
  for (const [, comment, operator, word] of line.matchAll(pattern)) {
    if (comment !== undefined) break;
    if (operator !== undefined) tokens.push({ operator });
    else if (word !== undefined) tokens.push({ word: unquoted(word) });
  }
  return tokens;
}

const unquoted = (word: string): string =>
  word.replace(/"((?:[^"\\]|\\.)*)"|'([^']*)'/g, (_, double, single) => double ?? single);

function commandsOf(tokens: readonly Token[]): ShellCommand[] {
  const commands: string[][] = [[]];
  let redirected = false;
  for (const token of tokens) {
    if ('operator' in token) {
      redirected = /[<>]/.test(token.operator);
      if (!redirected) commands.push([]);
    } else if (redirected) {
      redirected = false;
    } else if (commands.at(-1)?.length !== 0 || !/^[A-Z_]\w*=/.test(token.word)) {
      commands.at(-1)?.push(token.word);
    }
  }
  return commands.filter(({ length }) => length > 0);
}
