import type { Explanation } from '../../../src/guard/explanation.ts';
import { isObject, numberOf, textOf } from '../feed/feed-line.ts';
import { typedText } from '../format/typed-text.ts';
import { type BlockList, readBlockList } from './block-list.ts';
import { ask, ServiceProblem } from './client.ts';
import { storeClock } from './service-clock.ts';

/** What operators ask of the service: look at blocks and subjects, lift, place. */

export type { Explanation };

/** A subject as an operator types it. It goes to the service, which hashes it, and is kept nowhere. */
export interface SubjectSignals {
  readonly action: string;
  readonly account?: string;
  readonly ip: string;
  readonly ua?: string;
  readonly device?: { readonly id: string; readonly confidence: 'LOW' | 'MEDIUM' | 'HIGH' };
}

/** Who acts, and why; both go into the audit log. */
export interface Note {
  readonly by: string;
  readonly why: string;
}

/** An act of an operator, as the audit log has it. */
export interface AuditAct {
  readonly at: number;
  readonly what: string;
  readonly about: string;
  readonly by: string;
  readonly why: string;
  readonly until: number | null;
  /** The store failed before it was known whether it was done. */
  readonly isUnsure: boolean;
}

/** The most that the service lists. */
const MOST_BLOCKS = 10_000;

export async function readBlocks(): Promise<BlockList> {
  const list = readBlockList(await ask('GET', `v1/blocks?limit=${MOST_BLOCKS}`));
  if (list.at !== null) storeClock.note(list.at);
  return list;
}

/** Ends every block of an id. False when none was running any more. */
export async function liftBlock(id: string, note: Note): Promise<boolean> {
  const answer = await ask('DELETE', `v1/blocks/${encodeURIComponent(id)}`, note);
  return isObject(answer) && answer.lifted === true;
}

export async function placeBlock(
  signals: SubjectSignals,
  scope: string,
  level: number,
  note: Note,
): Promise<void> {
  await ask('POST', 'v1/blocks', { ...signals, scope, level, ...note });
}

export async function explainSubject(signals: SubjectSignals): Promise<Explanation> {
  const answer = await ask('POST', 'v1/explain', signals);
  if (!isExplanation(answer)) {
    throw new ServiceProblem(200, 'The service gave an explanation that this console cannot read.');
  }
  storeClock.note(answer.at);
  return answer;
}

const isExplanation = (value: unknown): value is Explanation =>
  isObject(value) &&
  typeof value.at === 'number' &&
  Array.isArray(value.keys) &&
  Array.isArray(value.history) &&
  Array.isArray(value.words) &&
  isObject(value.now) &&
  isObject(value.next);

export async function readAudit(): Promise<readonly AuditAct[]> {
  const acts = listIn(await ask('GET', 'v1/audit'), 'acts', 'audit');
  return acts.flatMap(readAct).sort((a, b) => b.at - a.at);
}

function readAct(value: unknown): AuditAct[] {
  if (!isObject(value)) return [];
  return [
    {
      at: numberOf(value.at),
      what: textOf(value.what) ?? '?',
      about: textOf(value.block) ?? textOf(value.pin) ?? textOf(value.name) ?? '',
      by: typedText(textOf(value.by) ?? '?'),
      why: typedText(textOf(value.why) ?? ''),
      until: numberOf(value.until) || null,
      isUnsure: value.unsure === true,
    },
  ];
}

/** The list an answer carries: itself, or one of its fields. */
export function listIn(answer: unknown, ...fields: readonly string[]): readonly unknown[] {
  if (Array.isArray(answer)) return answer;
  if (!isObject(answer)) return [];
  const found = fields.map((field) => answer[field]).find((value) => Array.isArray(value));
  return Array.isArray(found) ? found : [];
}
