import type { Policy } from '../../core/policy.ts';
import type { CommandIo, ExitCode } from '../streams.ts';
import { type Attack, attacks, victim } from './attacks.ts';
import { type DrilledAttack, reportText } from './report.ts';
import { Stage } from './stage.ts';

export interface DrillOptions {
  readonly policies: readonly Policy[];
  readonly json: boolean;
}

/**
 * Runs the standard attacks against the policies in simulated time and reports what each came to. The same policies
 * give the same report.
 */
export async function runDrill({ policies, json }: DrillOptions, io: CommandIo): Promise<ExitCode> {
  const drilled: DrilledAttack[] = [];
  const missing: string[] = [];
  for (const attack of attacks) {
    const action = actionOf(policies, attack);
    if (action === null) missing.push(`${attack.name}, for there is no policy "${attack.policy}"`);
    else drilled.push(await drillAttack(policies, action, attack));
    if (io.isTerminal) io.stderr.write(`\r${drilled.length} of ${attacks.length} attacks\u001b[K`);
  }
  if (io.isTerminal) io.stderr.write('\r\u001b[K');
  const report = json ? `${JSON.stringify({ attacks: drilled, missing })}\n` : reportText(drilled, missing);
  io.stdout.write(report);
  return 0;
}

/** Runs one attack on a guard of its own. */
export async function drillAttack(
  policies: readonly Policy[],
  action: string,
  { name, says, policy, durationMs, run }: Attack,
): Promise<DrilledAttack> {
  const stage = new Stage(policies, action, durationMs);
  await stage.addOwners(victim);
  await run(stage);
  return { name, says, policy, durationMs, ...(await stage.end()) };
}

/** The first action of the policy of this name, if it judges credentials. */
function actionOf(policies: readonly Policy[], { policy: name }: Attack): string | null {
  const policy = policies.find((candidate) => candidate.name === name);
  return policy?.kind === 'credential' ? (policy.actions[0] ?? null) : null;
}
