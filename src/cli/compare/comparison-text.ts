import { waitText } from '../../core/span-text.ts';
import { counted } from '../counted.ts';
import { leftOutTexts } from '../replay/logged-notes.ts';
import { skippedNote } from '../replay/summary-text.ts';
import { clockText } from '../replay/time-text.ts';
import { visible } from '../visible.ts';
import { type Comparison, type DifferingSubject, outcomes, type SideDecision } from './comparison.ts';
import type { LabelledScores } from './labelled-scores.ts';

const SHOWN_SUBJECTS = 10;

/** The comparison for a person. */
export function comparisonText(
  comparison: Comparison,
  files: { readonly a: string; readonly b: string },
): string {
  return [
    `A is ${visible(files.a)}, B is ${visible(files.b)}`,
    ...totals(comparison),
    ...matrix(comparison),
    ...who(comparison),
    ...labels(comparison),
    '',
  ].join('\n');
}

function totals({ events, differences, harder, badLines, log, logged }: Comparison): string[] {
  const share = `${((100 * differences) / Math.max(1, events)).toFixed(1)} %`;
  return [
    differences === 0
      ? `${counted(events, 'event')}, all decided alike`
      : `${counted(events, 'event')}, ${differences} (${share}) decided differently: ${harder.a} harder by A, ${harder.b} harder by B, ${harder.length} for another time`,
    ...[
      skippedNote({ badLines }),
      log?.idleNote(events),
      log?.namelessNote(),
      log?.unknown.note(log.lines),
    ].filter((note) => typeof note === 'string'),
    ...(logged === null ? [] : leftOutTexts(logged)),
  ];
}

function matrix(comparison: Comparison): string[] {
  const cell = (text: string) => text.padStart(14);
  return [
    '',
    `${'A \\ B'.padEnd(12)}${outcomes.map(cell).join('')}`,
    ...outcomes.map(
      (a) => `${a.padEnd(12)}${outcomes.map((b) => cell(String(comparison.count(a, b)))).join('')}`,
    ),
  ];
}

function who({ subjects, unlisted }: Comparison): string[] {
  if (subjects.length === 0) return [];
  const further = subjects.length - SHOWN_SUBJECTS;
  return [
    '',
    'who would be treated differently, most often first',
    ...subjects.slice(0, SHOWN_SUBJECTS).flatMap(subjectLines),
    ...(further > 0 ? [`  and ${counted(further, 'more subject')}`] : []),
    ...(unlisted > 0 ? [`  and ${counted(unlisted, 'decision')} on subjects beyond those`] : []),
  ];
}

function subjectLines({ account, ip, line, t, a, b, decisions }: DifferingSubject): string[] {
  const name = account === null ? '' : `account ${visible(account)} `;
  return [
    `  ${name}from ${visible(ip)}: ${counted(decisions, 'decision')}, first at line ${line}, ${clockText(t)}`,
    `    A ${sideText(a, t)}`,
    `    B ${sideText(b, t)}`,
  ];
}

function sideText({ outcome, level, until, rule, scope }: SideDecision, t: number): string {
  if (outcome === 'ALLOW') return outcome;
  return `${outcome} level ${level} for ${waitText(until - t)} by ${rule} on ${scope}`;
}

function labels({ labels: { attacks, honest, told }, scores }: Comparison): string[] {
  if (told === 0) return [];
  return [
    '',
    `${counted(attacks, 'attack')} and ${counted(honest, 'other event')}`,
    ...roc('A', scores.a),
    ...roc('B', scores.b),
  ];
}

function roc(side: string, scores: LabelledScores): string[] {
  const area = scores.area();
  const percent = (share: number | null) =>
    (share === null ? '–' : `${(100 * share).toFixed(2)} %`).padStart(13);
  return [
    '',
    `${`${side}, at least`.padEnd(14)}${['recall', 'precision', 'false alarms'].map((title) => title.padStart(13)).join('')}`,
    ...scores
      .rows()
      .map(
        (row) =>
          `${row.atLeast.padEnd(14)}${percent(row.recall)}${percent(row.precision)}${percent(row.falsePositiveRate)}`,
      ),
    ...(area === null ? [] : [`area under the curve ${area.toFixed(4)}`]),
  ];
}
