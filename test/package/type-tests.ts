import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { PackedPackage } from './packed-package.ts';
import type { Stranger } from './stranger.ts';
import { ownLine, type Strangers } from './strangers.ts';
import { run } from './workshop.ts';

/** Modules whose types are those of a framework, and the packages that bring them. */
const frameworks: Readonly<Record<string, readonly string[]>> = {
  'portcullis/express': ['express', '@types/express'],
  'portcullis/express-rate-limit': ['express-rate-limit'],
  'portcullis/fastify': ['fastify'],
  'portcullis/hono': ['hono'],
  'portcullis/koa': ['koa', '@types/koa'],
};

const program = `
import { createGuard, type Decision, Fault, type GuardOptions, type Secret } from 'portcullis';
import type { BudgetExplanation, Explanation, KeyExplanation, Listener, Moment } from 'portcullis';
import { createDevices, type DevicesOptions } from 'portcullis/device';
import { createMemoryStore } from 'portcullis/memory';

const guard = createGuard({ secret: 'sixteen bytes or more', store: createMemoryStore() });
const request = { action: 'auth.login', account: 'ada', ip: '203.0.113.7' };
const { allowed, value } = await guard.attempt(request, async () => ({ id: 7 }));
const id: number | undefined = allowed ? value?.id : undefined;
const decision: Decision = await guard.check(request);
const outcome: 'ALLOW' | 'SOFT_BLOCK' | 'HARD_BLOCK' = decision.outcome;
const previousSecret: Secret | undefined = process.env.PREVIOUS_SECRET;
const secrets = { secret: 'sixteen bytes or more', previousSecret } satisfies GuardOptions & DevicesOptions;
const partsOf = ({ keys, budget, history }: Explanation): [readonly KeyExplanation[], BudgetExplanation | null, Moment | undefined] =>
  [keys, budget, history[0]];
const listener: Listener<{ decision: Decision }> = (event) => console.log(event.decision.reasons[0]?.rule);
createGuard(secrets).on('decision', listener);
console.log(createDevices(secrets), partsOf(await guard.explain(request)));
// @ts-expect-error a secret is not a number
createGuard({ secret: 16 });
console.log(id, outcome, new Fault('INPUT_INVALID', 'no') instanceof Error);
`;

/** A route of Express keeps the types of what its path and its author name, whatever of ours stands before the handler. */
const routes = `
import express, { type RequestHandler } from 'express';
import { createGuard } from 'portcullis';
import { createCaps } from 'portcullis/concurrency';
import { cap, limit, protect } from 'portcullis/express';
import { createLimiter } from 'portcullis/limits';
import { createMemoryStore } from 'portcullis/memory';

const secret = 'sixteen bytes or more';
const limited = limit(createLimiter({ secret, store: createMemoryStore(), ratePerSecond: 10 }));
const capped: RequestHandler = cap(createCaps());
const signIn = protect(createGuard({ secret }), { account: ({ body }) => body?.email, verify: () => ({ id: 7 }) });
const app = express();
app.use('/api', limited, capped);
app.get('/items/:id', limited, ({ params }, response) => {
  const id: string = params.id;
  response.json({ id });
});
app.post<{ team: string }, { name: string }>('/:team/login', express.json(), signIn, ({ params }, response) => {
  response.json({ name: params.team });
});
`;

const resolutions = { NodeNext: 'NodeNext', Bundler: 'ESNext' } as const;

interface Compilation {
  readonly resolution: keyof typeof resolutions;
  readonly modules: readonly string[];
  readonly skipLibCheck: boolean;
  /** Files besides those of every compilation. Default: none. */
  readonly programs?: Readonly<Record<string, string>>;
  /** Where the compiler is. Default: the one that we are built by. */
  readonly typescript?: string;
}

/** What the compiler has to say of the project and of our declarations; what other packages do to each other is theirs. */
async function complaints(stranger: Stranger, compilation: Compilation): Promise<readonly string[]> {
  const { resolution, modules, skipLibCheck, programs = {} } = compilation;
  const { typescript = dirname(require.resolve('typescript/package.json')) } = compilation;
  stranger.write('program.ts', program);
  stranger.write('modules.ts', modules.map((name, i) => `export * as m${i} from '${name}';`).join('\n'));
  for (const [file, text] of Object.entries(programs)) stranger.write(file, text);
  stranger.write(
    'tsconfig.json',
    JSON.stringify({
      compilerOptions: {
        target: 'ES2022',
        module: resolutions[resolution],
        moduleResolution: resolution,
        types: ['node'],
        strict: true,
        exactOptionalPropertyTypes: true,
        noUncheckedIndexedAccess: true,
        isolatedModules: true,
        skipLibCheck,
        noEmit: true,
      },
      files: ['program.ts', 'modules.ts', ...Object.keys(programs)],
    }),
  );
  const tsc = join(typescript, 'bin', 'tsc');
  const { code, stdout, stderr } = await run(process.execPath, [tsc, '-p', '.'], { cwd: stranger.folder });
  const lines = `${stdout}${stderr}`.split('\n').filter((line) => / error TS\d+/.test(line));
  if (code !== 0 && lines.length === 0) throw new TypeError(`tsc ended with ${code}: ${stdout}${stderr}`);
  return lines.filter((line) => !line.startsWith('../'));
}

const require = createRequire(import.meta.url);

/** An older compiler than ours, which the strangers may have: the one that arethetypeswrong brings. */
function olderTypescript(): string {
  const tool = createRequire(require.resolve('@arethetypeswrong/core'));
  return dirname(tool.resolve('typescript/package.json'));
}

/** Declarations are read by compilers we do not choose, with settings we do not choose. */
export function testTypes(packed: () => PackedPackage, strangers: Strangers): void {
  describe('types', () => {
    const plain = () => packed().modules.filter((name) => !(name in frameworks));

    it('need no driver: where nothing is beside us, only frameworks are missed', async (context) => {
      const stranger = await strangers.on(ownLine, context);
      const { modules } = packed();
      const compilation = { resolution: 'NodeNext', modules, skipLibCheck: false } as const;
      const found = await stranger.beside(['@types/node'], () => complaints(stranger, compilation));
      const missed = found.map((line) => /Cannot find module '(.*?)'/.exec(line)?.[1] ?? line);
      expect(missed.sort()).toEqual(Object.keys(frameworks).map((name) => name.replace('portcullis/', '')));
    });

    it('fit those of the frameworks, for bundlers too', async (context) => {
      const stranger = await strangers.on(ownLine, context);
      const { modules } = packed();
      const packages = ['@types/node', ...Object.values(frameworks).flat()];
      const programs = { 'routes.ts': routes };
      const compilation = { resolution: 'Bundler', modules, skipLibCheck: false, programs } as const;
      expect(await stranger.beside(packages, () => complaints(stranger, compilation))).toEqual([]);
    });

    it('can be read by an older compiler', async (context) => {
      const stranger = await strangers.on(ownLine, context);
      const typescript = olderTypescript();
      const compilation = {
        resolution: 'NodeNext',
        modules: plain(),
        skipLibCheck: true,
        typescript,
      } as const;
      expect(await stranger.beside(['@types/node'], () => complaints(stranger, compilation))).toEqual([]);
    });
  });
}
