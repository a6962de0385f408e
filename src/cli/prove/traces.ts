import { constants } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ownerSignals } from '../../testing/prover/cast.ts';
import { sieges } from '../../testing/prover/cheapest-denial.ts';
import { eventLines, type ProofEvent } from '../../testing/prover/events.ts';
import { START_MS } from '../../testing/prover/play.ts';
import type { PolicyProof, Proof } from '../../testing/prover/prove.ts';
import type { Siege } from '../../testing/prover/worst-cases.ts';
import { naming } from '../option-folder.ts';

/** A trace and the name of its file. */
export interface Trace {
  readonly name: string;
  readonly events: readonly ProofEvent[];
}

/** All traces that a proof has found. */
export function tracesOf({ policies }: Proof): readonly Trace[] {
  return policies.flatMap((proof) => [
    ...proof.broken.map(({ id, events }) => ({ name: brokenName(proof.policy, id), events })),
    ...(proof.worst?.guesses ?? []).map(({ strategy, trail }) => ({
      name: `${proof.policy}-guesses-${strategy.id}.jsonl`,
      events: proof.eventsOf(trail),
    })),
    ...(proof.worst?.sieges ?? []).flatMap((siege) => siegeTraces(proof, siege)),
    ...(proof.worst?.budgets ?? []).map(({ owner, trail }) => ({
      name: `${proof.policy}-budget-${owner}.jsonl`,
      events: proof.eventsOf(trail),
    })),
  ]);
}

export const brokenName = (policy: string, id: string): string => `${policy}-broken-${id}.jsonl`;

/** The owner asks right after the last request, and a millisecond before the siege is over. */
function siegeTraces(proof: PolicyProof, { owner, besieger, ownerLane, denials }: Siege): Trace[] {
  return denials.flatMap(({ siege, trail, sinceMs }) => {
    const lengthMs = sieges.find(({ id }) => id === siege)?.ms ?? 0;
    if (trail === null) return [];
    const asked = (t: number): ProofEvent => ({
      t,
      op: 'check',
      action: proof.action,
      ...ownerSignals(owner),
    });
    const times = [trail.t - START_MS, sinceMs + lengthMs - 1 - START_MS];
    return [
      {
        name: `${proof.policy}-lane-${ownerLane ? 'on' : 'off'}-${besieger.id}-${owner}-${siege}.jsonl`,
        events: [...proof.eventsOf(trail), ...times.map(asked)],
      },
    ];
  });
}

/** A pipe that nobody reads is refused, where opening it would otherwise wait for ever. */
const flag = constants.O_WRONLY | constants.O_CREAT | constants.O_TRUNC | constants.O_NONBLOCK;

/** Into a folder that is there, over what has these names. @throws Fault `INPUT_INVALID` where one cannot be written. */
export async function writeTraces(folder: string, traces: readonly Trace[]): Promise<void> {
  try {
    for (const { name, events } of traces) await writeFile(join(folder, name), eventLines(events), { flag });
  } catch (cause) {
    throw naming('--out', cause);
  }
}
