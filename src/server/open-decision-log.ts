import type { ServiceConfig } from '../config/service-config.ts';
import { Fault } from '../core/fault.ts';
import { DecisionLog } from '../telemetry/decision-log/decision-log.ts';
import type { Log } from '../telemetry/log.ts';
import type { Metrics } from '../telemetry/metrics.ts';

const component = 'decision log';

/** The log of decisions, where one is configured; else null. What it drops and where it fails is counted and logged. */
export function openDecisionLog(
  { telemetry }: ServiceConfig,
  log: Log,
  metrics: Metrics,
): DecisionLog | null {
  const { decisionLog } = telemetry;
  if (decisionLog === null) return null;
  let isDropping = false;
  const opened = new DecisionLog(decisionLog, {
    written: (count) => {
      isDropping = false;
      metrics.decisionLogLines('written', count);
    },
    dropped: (count) => {
      metrics.decisionLogLines('dropped', count);
      if (!isDropping) log.warn({ component }, 'decisions are missing in the log: the disk does not keep up');
      isDropping = true;
    },
    failed: (cause, isFirst) => {
      metrics.decisionLogFailure();
      if (isFirst) log.error({ component, ...wordsOf(cause) }, 'decisions go on, but cannot be logged');
    },
    recovered: (dropped) => log.warn({ component, count: dropped }, 'decisions are logged again'),
  });
  opened.start();
  return opened;
}

/** Of an error of the system its code, such as ENOSPC; of a fault of ours also what it says. */
function wordsOf(cause: unknown): { readonly code?: string; readonly message?: string } {
  if (cause instanceof Fault) return { code: cause.code, message: cause.message };
  return cause instanceof Error && 'code' in cause ? { code: String(cause.code) } : {};
}
