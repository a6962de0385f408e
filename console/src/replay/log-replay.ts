import type { LogFormatName } from '../../../src/abuse/log-formats/log-entry.ts';
import type { Rules } from '../../../src/cli/replay/rules-file.ts';
import { parseDocument } from '../../../src/config/document.ts';
import { problemsFault } from '../../../src/config/problem.ts';
import { checkDocument } from '../../../src/config/read-service-config.ts';
import { Fault } from '../../../src/core/fault.ts';
import { detectLogFormat } from './detect-format.ts';
import { LogRun } from './log-run.ts';
import type { ToReplay } from './replay-messages.ts';

/** Everything that only logs need: loaded when the first is replayed. */

/**
 * Opens the replay of a log.
 *
 * @param head the first lines, to recognise the format by; not looked at where it was chosen
 * @throws Fault `INPUT_INVALID`, `CONFIG_INVALID` in the words of the page
 */
export function openLogRun(order: ToReplay, head: readonly string[]): LogRun {
  const { file, policyA, policyB, choices } = order;
  const writtenAt = file.lastModified;
  const format = isNamed(order.format) ? order.format : detectLogFormat(head, writtenAt);
  if (format === null) {
    throw new Fault('INPUT_INVALID', 'The format of this file was not recognised. Choose it, and try again.');
  }
  const rulesA = readRules(policyA, policyB === null ? 'policy' : 'policy A');
  const rulesB = policyB === null ? null : readRules(policyB, 'policy B');
  try {
    return new LogRun({ format, choices, writtenAt, rulesA, rulesB });
  } catch (cause) {
    throw cause instanceof Fault ? new Fault(cause.code, inWordsOfPage(cause.message), { cause }) : cause;
  }
}

const isNamed = (format: ToReplay['format']): format is LogFormatName =>
  format !== 'detect' && format !== 'events';

/** Rules of a policy file or of a service's configuration; the built-in ones for an empty text. */
export function readRules(text: string, source: string): Rules {
  const document = text.trim() === '' ? {} : parseDocument(text, source);
  const { config, problems } = checkDocument(document, { folder: '', env: {} });
  if (config === null) throw problemsFault(source, problems);
  const { policies, limits, scenarios } = config;
  return { policies, limits, scenarios };
}

const labels: readonly (readonly [option: string, label: string])[] = [
  ['--login-fails', 'Answers that mean a failed login'],
  ['--login', 'Login routes'],
  ['--year', 'Year'],
];

/** The command line names its options; here fields have labels. */
function inWordsOfPage(message: string): string {
  return labels.reduce((words, [option, label]) => words.replace(option, label), message);
}
