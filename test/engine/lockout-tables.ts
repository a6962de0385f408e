import { defaultLogin } from '../../src/core/policy.ts';
import { besiegers, cheapestDenials, type Denial } from '../../src/testing/prover/cheapest-denial.ts';
import { quickEffort } from '../../src/testing/prover/effort.ts';
import { mostGuesses } from '../../src/testing/prover/most-guesses.ts';
import { ProofEngine } from '../../src/testing/prover/proof-engine.ts';
import type { PolicyProof, Proof } from '../../src/testing/prover/prove.ts';
import { strategies } from '../../src/testing/prover/strategies.ts';
import type { Siege } from '../../src/testing/prover/worst-cases.ts';

/** The tables of docs/concepts/lockout.md, from a proof, so that the page says what is. */
export function lockoutTables(proof: Proof): Readonly<Record<string, string>> {
  const [login, otp] = ['login', 'otp'].map((name) => proof.policies.find(({ policy }) => policy === name));
  return {
    denial: denialTable(login, otp),
    ladder: ladderTable(),
    guesses: guessTable(login, otp),
  };
}

const cells = (row: readonly (string | number)[]): string => `| ${row.join(' | ')} |`;

function table(head: readonly string[], rows: readonly (readonly (string | number)[])[]): string {
  return [cells(head), cells(head.map(() => '---')), ...rows.map(cells)].join('\n');
}

const requests = (denials: readonly Denial[] = []): string =>
  denials.every(({ requests: count }) => count === null)
    ? 'no number of them'
    : denials.map(({ requests: count }) => count ?? 'more than tried').join(', ');

const words = {
  trusted: 'a trusted device',
  known: 'a known device',
  unknown: 'a device never seen',
} as const;

function denialTable(login: PolicyProof | undefined, otp: PolicyProof | undefined): string {
  const rows = (login?.worst?.sieges ?? [])
    .filter(({ besieger }) => besieger.id === 'stranger')
    .map((siege) => {
      const same = (other: Siege) =>
        other.ownerLane === siege.ownerLane &&
        other.owner === siege.owner &&
        other.besieger === siege.besieger;
      const lane = siege.owner === 'trusted' ? `, owner lane ${siege.ownerLane ? 'on' : 'off'}` : '';
      return [
        `${words[siege.owner]}${lane}`,
        requests(siege.denials),
        requests(otp?.worst?.sieges.find(same)?.denials),
      ];
    });
  return table(['the owner shows', 'login: an hour, a day, a week', 'otp: an hour, a day, a week'], rows);
}

/** What a lower ladder costs the besieger, and what it gives the guesser. */
function ladderTable(): string {
  const [besieger] = besiegers;
  const anything = strategies.find(({ id }) => id === 'anything');
  if (besieger === undefined || anything === undefined) return '';
  const rows = [6, 5, 4].map((maxLevel) => {
    const policy = { ...defaultLogin, ladder: { ...defaultLogin.ladder, maxLevel } };
    const engine = new ProofEngine({ policies: [policy] });
    const search = { engine, policy, action: 'auth.login', isOver: () => false };
    const denial = { ...search, owner: 'known', besieger, width: 4, maxRequests: 400 } as const;
    const { guesses } = mostGuesses(anything, { ...search, width: quickEffort.width });
    return [maxLevel, ...cheapestDenials(denial).map(({ requests: count }) => count ?? '–'), guesses];
  });
  return table(['`ladder.maxLevel`', 'an hour', 'a day', 'a week', 'guesses a day'], rows);
}

function guessTable(login: PolicyProof | undefined, otp: PolicyProof | undefined): string {
  const shown = ['no-device', 'anything', 'known-device'];
  const rows = strategies
    .filter(({ id }) => shown.includes(id))
    .map(({ id, says }) => [says, ...[login, otp].map((proof) => guessesOf(proof, id))]);
  const bounds = [login, otp].map((proof) => proof?.worst?.guessBound ?? '–');
  return table(['the guesser has', 'login', 'otp'], [...rows, ['a bound for all but the last', ...bounds]]);
}

const guessesOf = (proof: PolicyProof | undefined, id: string): number | string =>
  proof?.worst?.guesses.find(({ strategy }) => strategy.id === id)?.guesses ?? '–';
