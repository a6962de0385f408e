import { describe, expect, it } from 'vitest';
import { defaultApi, defaultLogin, defaultOtp } from '../../src/index.ts';
import { textOf } from './blocks.ts';
import { span } from './pictures/drawing.ts';

const page = textOf('docs/concepts/levels-and-budgets.md');
const both = (name: string, number: (policy: typeof defaultLogin) => string | number) =>
  `| ${name} | ${number(defaultLogin)} | ${number(defaultOtp)} |`;
const plus = (points: number) => (points === 0 ? '–' : `+${points}`);
const { ladder, correlation } = defaultLogin;
const durationOf = (level: number) => span(ladder.durationsMs[level - 1] ?? 0);
const levelled = (level: number) => `level ${level}, ${durationOf(level)}`;
const seen = (count: number | string, windowMs: number) => `| ${count} in ${span(windowMs)} |`;
const { p48, p40, p32, windowMs: prefixMs } = correlation.prefixes ?? {};

/** What the page has to say with the numbers of the default policies. */
const rows = [
  both('with a known device | K5', ({ score }) => plus(score.knownDevice)),
  both('with a device that is not known | K4', ({ score }) => plus(score.newDevice)),
  both('without a device | K2', ({ score }) => plus(score.missingDevice)),
  both(`without a device, again within ${span(defaultLogin.score.missingDeviceAgainMs)} | K4`, ({ score }) =>
    plus(score.missingDeviceAgain),
  ),
  both('spray sees one more account | K1', ({ score }) => plus(score.sprayedAccount)),
  both('SOFT, level 1', ({ score }) => score.softFrom),
  both('HARD, level 2', ({ score }) => score.hardFrom),
  both('HARD, level 3 or one above what is remembered', ({ score }) => score.severeFrom),
  ...ladder.durationsMs.map(
    (ms, index) => `| ${index + 1} | ${span(ms)} | ${span(ladder.memoryMs[index] ?? 0)} |`,
  ),
  both('failures within 24 h that make it active', ({ budget }) => budget.threshold),
  both('its SOFT', ({ budget }) => levelled(budget.level)),
  both('for a trusted device', ({ budget }) => levelled(budget.trustedLevel)),
  both('at most once in', ({ budget }) => `${budget.cooldownMs / 60_000} min`),
  both('shown at `check`', ({ budget }) => (budget.shownAtCheck ? 'yes, deferred' : 'no')),
  ...(['spray', 'rotation', 'dilution', 'churn', 'flood', 'equilibrium'] as const).map((rule) => {
    const { count = 0, windowMs = 0 } = correlation[rule] ?? {};
    return seen(count, windowMs);
  }),
  seen(`${p48?.accounts}, ${p40?.accounts} or ${p32?.accounts} accounts`, prefixMs ?? 0),
  `every ${span(defaultLogin.score.decayMs.account)} on K4`,
  `every ${span(defaultLogin.score.decayMs.accountDevice)} on K5`,
  `every ${span(defaultLogin.score.decayMs.network)} on K1`,
  `after its first ${defaultLogin.budget.knownDeviceGrace}`,
  `no higher than level ${ladder.maxAdvisoryLevel}`,
  `no higher than level ${defaultApi.ladder.maxLevel}`,
  `one SOFT of level ${defaultOtp.budget.guardLevel}`,
  `a flag for ${span(correlation.watchMs)}`,
];

describe('the numbers of the page on levels and budgets', () => {
  it.each(rows)('are those of the default policies: %s', (row) => {
    expect(page.replaceAll(/\s*\n\s*/g, ' ')).toContain(row);
  });
});

describe('the numbers of the page on keys', () => {
  const keys = textOf('docs/concepts/keys.md').replaceAll(/\s*\n\s*/g, ' ');
  const { caps, retention } = defaultLogin;

  it.each([
    `at most ${caps.accountDevices} devices, ${caps.newAccountDevices} of them new within ${span(caps.newAccountDevicesMs)}`,
    `at most ${caps.networkDevices} new devices and ${caps.networkAgents} new agents within ${span(caps.networkSightsMs)}`,
    `Records end ${retention.recordMs / 3_600_000} h after their last write, the book after ${retention.bookMs / 86_400_000} days`,
    `level ${ladder.maxAdvisoryLevel} (${durationOf(ladder.maxAdvisoryLevel)})`,
  ])('are those of the default policies: %s', (words) => {
    expect(keys).toContain(words);
  });
});
