/** Whom a limit is for, in words. */
export const callerWords: Readonly<Record<string, string>> = {
  signedIn: 'signed-in users',
  anonymous: 'anonymous callers',
  user: 'one user',
  network: 'one network',
};

/** What a pin is on, by its name alone; one that the console does not know, as it stands. */
export function pinWords(name: string): string {
  const [kind, first = '', second = ''] = name.split(':');
  if (kind === 'limit') return `the limit of ${callerWords[first] ?? first}`;
  if (kind === 'failure') return `what ${first} does without the store`;
  if (kind === 'scenario') return `scenario ${first}, off`;
  if (kind === 'shadow') return `rule ${second} of ${first}, in shadow`;
  return name;
}
