import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { spanText } from '../../core/span-text.ts';
import type { GuardRequest } from '../../guard/signals.ts';
import { serviceUrl } from '../service-url.ts';
import type { CommandIo, ExitCode } from '../streams.ts';
import { textTable } from '../text-table.ts';
import { type Attack, attacks, victim } from './attacks.ts';
import { DecisionClient } from './decision-client.ts';
import { type LiveResult, LiveStage } from './live-stage.ts';
import { nobodysAddresses } from './nobodys-addresses.ts';

export interface LiveDrillOptions {
  /** Of a running service. */
  readonly url: string;
  readonly token?: string | undefined;
  readonly seconds: number;
  readonly json: boolean;
}

/** One attack on a service and what it came to. */
interface LiveAttack extends LiveResult {
  readonly name: string;
  readonly says: string;
}

/** Those of the standard attacks that show within seconds. */
const liveNames = new Set(['brute force', 'spray', 'device rotation', 'IPv6 spray', 'parallel guesses']);
const OWNER_EVERY_MS = 2_000;
const PERSON_EVERY_MS = 120;
const PEOPLE = 40;

/** Sends attacks to a running service, all at once, while owners and other people sign in, and reports what each came to. */
export async function runLiveDrill(options: LiveDrillOptions, io: CommandIo): Promise<ExitCode> {
  const { url, token, seconds, json } = options;
  const client = new DecisionClient(url, token);
  const endAtMs = performance.now() + seconds * 1_000;
  const run = randomBytes(4).toString('hex');
  const drawn = randomBytes(8);
  const stageOf = (name: string, place: number): LiveStage =>
    new LiveStage(client, 'auth.login', `drill ${run} ${name}`, nobodysAddresses(drawn, place), endAtMs);
  const people = stageOf('people', 6);
  await people.signIn('first', 'trusted');
  if (!json) io.stderr.write(`portcullis: attacking ${url} for ${seconds} s; watch it in the console\n`);
  const live = attacks.filter(({ name }) => liveNames.has(name));
  const [results] = await Promise.all([
    Promise.all(live.map((attack, place) => play(attack, stageOf(attack.name, place)))),
    signInAsUsual(people),
  ]);
  io.stdout.write(
    json
      ? `${JSON.stringify({ attacks: results, people: people.result().owners.trusted })}\n`
      : reportText(options, results, people.result()),
  );
  return 0;
}

async function play(attack: Attack, stage: LiveStage): Promise<LiveAttack> {
  for (const kind of ['trusted', 'known'] as const) await stage.signIn(victim, kind);
  await Promise.all([attack.run(stage), ownersSignIn(stage)]);
  return { name: attack.name, says: attack.says, ...stage.result() };
}

async function ownersSignIn(stage: LiveStage): Promise<void> {
  while (stage.isRunning) {
    for (const kind of ['trusted', 'known'] as const) await stage.signIn(victim, kind);
    await pause(stage, OWNER_EVERY_MS);
  }
}

/** Many people, each now and then. */
async function signInAsUsual(stage: LiveStage): Promise<void> {
  for (let turn = 0; stage.isRunning; turn += 1) {
    await stage.signIn(`person ${turn % PEOPLE}`, 'trusted');
    await sleep(PERSON_EVERY_MS);
  }
}

async function pause(stage: LiveStage, ms: number): Promise<void> {
  const endAtMs = performance.now() + ms;
  while (stage.isRunning && performance.now() < endAtMs) await stage.wait(endAtMs - performance.now());
}

function reportText(
  { url, token }: LiveDrillOptions,
  results: readonly LiveAttack[],
  people: LiveResult,
): string {
  const rows = [
    ['attack', 'requests', 'guesses', 'first block', 'refused: trusted', 'known'],
    ...results.map(({ name, requests, guesses, firstBlockMs, owners }) => [
      name,
      `${requests}`,
      `${guesses}`,
      firstBlockMs === null ? 'never' : `after ${spanText(firstBlockMs)}`,
      `${owners.trusted.refused}/${owners.trusted.attempts}`,
      `${owners.known.refused}/${owners.known.attempts}`,
    ]),
  ];
  const { refused, attempts } = people.owners.trusted;
  return [
    ...withoutStoreNote([...results, people]),
    ...textTable(rows),
    '',
    'guesses: those that would have got in, had they been right. refused: how often the owner of the attacked account was',
    'sent away with the right credentials, by the device shown, of how many sign-ins.',
    `Other people: ${refused} of ${attempts} sign-ins refused.`,
    ...whyNote(url, token !== undefined, results[0]?.firstGuess ?? null),
    '',
  ].join('\n');
}

/** What local caps decide says nothing about the policy. */
function withoutStoreNote(results: readonly LiveResult[]): string[] {
  const sum = (count: (result: LiveResult) => number): number =>
    results.reduce((total, result) => total + count(result), 0);
  const withoutStore = sum((result) => result.withoutStore);
  if (withoutStore === 0) return [];
  return [
    `${withoutStore} of ${sum(({ requests }) => requests)} decisions were made without the store, which was too slow or failed: this`,
    'shows the local caps, not the policy. See docs/operating/outages.md.',
    '',
  ];
}

function whyNote(url: string, needsToken: boolean, request: GuardRequest | null): string[] {
  if (request === null) return [];
  const ask = new URL('v1/explain', serviceUrl(url)).href;
  const access = needsToken ? ' -H "Authorization: Bearer $TOKEN"' : '';
  return [
    '',
    `Why the account of the first attack is blocked${needsToken ? ', for a token with the role observe' : ''}:`,
    `  curl ${ask}${access} -d '${JSON.stringify(request)}'`,
  ];
}
