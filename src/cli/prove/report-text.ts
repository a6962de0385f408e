import { spanText } from '../../core/span-text.ts';
import { eventLines } from '../../testing/prover/events.ts';
import type { BrokenGuarantee, PolicyProof } from '../../testing/prover/prove.ts';
import type { Siege, WorstCases } from '../../testing/prover/worst-cases.ts';
import { counted } from '../counted.ts';
import { textTable } from '../text-table.ts';
import type { ReportFrame } from './report-json.ts';
import { brokenName } from './traces.ts';

/** The report for a person. */
export function reportText(frame: ReportFrame): string {
  const { proof, seed, out } = frame;
  return [
    ...proof.policies.flatMap((policy) => [...policyLines(policy, frame), '']),
    'outages',
    ...proof.outages.map(({ says, tried }) => `  ${says} ${tried} courses tried.`),
    ...proof.brokenInOutages.flatMap(({ id, what }) => [`  broken: ${id}: ${what}`]),
    '',
    `seed ${seed}. What was found is real; what was not may exist beyond these bounds.`,
    ...(out === undefined ? [] : [`The traces are in ${out}; replay decides them the same way.`]),
    '',
  ].join('\n');
}

function policyLines(proof: PolicyProof, frame: ReportFrame): string[] {
  const { policy, promised, broken, worst } = proof;
  return [
    `policy ${policy}`,
    broken.length === 0
      ? `  no breach of ${promised.length} guarantees found`
      : `  broken: ${broken.length} of ${promised.length} guarantees; of the others no breach was found`,
    ...broken.flatMap((one) => brokenLines(one, policy, frame)),
    ...boundLines(proof),
    ...(worst === null ? [] : worstLines(worst)),
  ];
}

function brokenLines(
  { id, says, promised, what, events }: BrokenGuarantee,
  policy: string,
  frame: ReportFrame,
): string[] {
  const { policyFile, out } = frame;
  const asked = policyFile === undefined ? '' : ` --policy ${quoted(policyFile)}`;
  const file = out === undefined ? `- <<'EVENTS'` : quoted(`${out}/${brokenName(policy, id)}`);
  return [
    '',
    `  broken: ${id}: ${what}`,
    `    ${says}`,
    ...promised.map(({ by, sentence }) => `    ${by}: “${sentence}”`),
    `    ${events.length} events; replay them with`,
    `portcullis replay ${file}${asked}`,
    ...(out === undefined ? [`${eventLines(events)}EVENTS`] : []),
    '',
  ];
}

/** For a shell, where a path may hold anything. */
const quoted = (path: string): string =>
  /^[\w./-]+$/.test(path) ? path : `'${path.replaceAll("'", "'\\''")}'`;

function boundLines({ scenes, walks, isWhole }: PolicyProof): string[] {
  const states = scenes.reduce((sum, scene) => sum + scene.states, 0);
  return [
    `  searched ${states} states in ${counted(scenes.length, 'scene')}, acts at once, at the next changes and at the last:`,
    ...scenes.map(
      ({ scene, states: own, completeDepth, spanMs }) =>
        `    ${scene}: ${own} states, every order of ${counted(completeDepth, 'act')}, up to ${spanText(spanMs)}`,
    ),
    ...(walks === null
      ? []
      : [
          `    ${walks.walks} random walks: ${walks.acts} acts, up to ${walks.depth} in a row over ${spanText(walks.spanMs)}`,
        ]),
    ...(isWhole ? [] : ['  Time was up before the search was done.']),
  ];
}

function worstLines({ guesses, guessBound, sieges, budgets }: WorstCases): string[] {
  const rows = guesses.map(({ strategy, guesses: count, isMore }) => [
    `    ${strategy.says}`,
    guessesText(count, isMore),
  ]);
  return [
    `  most guesses on one account in a day${guessBound === null ? '' : `; without a device of the owner’s never more than ${guessBound}`}`,
    ...textTable(rows),
    '  fewest requests that keep the owner out, without a gap, for',
    ...textTable([['', 'an hour', 'a day', 'a week'], ...sieges.map(siegeRow)]),
    '  a budget alone before the owner, at a host that ignores `deferred` (at others never)',
    ...budgets.map(
      ({ owner, longestMs, totalMs }) =>
        `    ${owner} device: ${spanText(longestMs)} in a row, ${spanText(totalMs)} in the first day`,
    ),
  ];
}

function guessesText(count: number, isMore: boolean): string {
  if (!isMore) return `${count}`;
  return count === 0 ? 'not searched' : `${count} at least`;
}

function siegeRow({ ownerLane, owner, besieger, denials }: Siege): string[] {
  const who = `    owner lane ${ownerLane ? 'on' : 'off'}, ${owner} device, ${besieger.id}`;
  return [who, ...denials.map(({ requests }) => (requests === null ? 'none found' : `${requests}`))];
}
