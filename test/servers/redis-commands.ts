import { startRedis } from './redis-server.ts';

/** What a server says of a command, or of an argument: `COMMAND DOCS`. */
interface Documented {
  readonly since?: string;
  readonly token?: string;
  readonly arguments?: readonly Documented[];
}

export type CommandDocs = Readonly<Record<string, Documented & { readonly since: string }>>;

/** Every command that the installed server knows, by its name in small letters. */
export async function commandDocs(): Promise<CommandDocs> {
  const server = await startRedis();
  try {
    return JSON.parse(await server.cli('--json', 'COMMAND', 'DOCS')) as CommandDocs;
  } finally {
    await server.stop();
  }
}

/** The commands that came after this version. */
export function commandsAfter(docs: CommandDocs, version: string): string[] {
  return Object.keys(docs).filter((name) => isAfter(docs[name]?.since, version));
}

/** The options of a command, in capitals, that came after this version. */
export function optionsAfter(docs: CommandDocs, command: string, version: string): string[] {
  const inside = ({ since, token, arguments: parts = [] }: Documented, isLate: boolean): string[] => {
    const isLater = isLate || isAfter(since, version);
    const own = isLater && token !== undefined ? [token.toUpperCase()] : [];
    return [...own, ...parts.flatMap((part) => inside(part, isLater))];
  };
  return (docs[command]?.arguments ?? []).flatMap((part) => inside(part, false));
}

function isAfter(since: string | undefined, version: string): boolean {
  const [major = 0, minor = 0] = partsOf(version);
  const [sinceMajor = 0, sinceMinor = 0] = partsOf(since ?? '0.0');
  return sinceMajor > major || (sinceMajor === major && sinceMinor > minor);
}

const partsOf = (version: string): number[] => version.split('.').map(Number);
