import { type CascadeReport, cascadeDisciplines, playCascade } from './cascade.ts';
import { drawLineChart } from './line-chart.ts';
import { disciplines, playStorm, type StormReport } from './retry-storm.ts';

const colours = { naive: '#cf222e', alone: '#9a6700', rails: '#0969da' };

async function stormChart(): Promise<string> {
  const storm = { failure: '503', ratePerSecond: 250, seconds: 21, outage: [5, 15], seed: 1 } as const;
  const factors = ({ offered, arrived }: StormReport) =>
    arrived.slice(0, 20).map((count, second) => count / (offered[second] ?? 1));
  const { naive, alone, passport } = disciplines;
  return drawLineChart({
    title: 'Attempts at the bottom of three layers, per request',
    description:
      'Three attempts at each layer make 27 per request during the outage; passports keep it under 1.3.',
    xLabel: 'seconds',
    yLabel: 'attempts per request',
    yTicks: [1, 2, 4, 8, 16, 32],
    logarithmic: true,
    span: { from: 5, to: 15, name: 'the bottom service answers 503' },
    series: [
      {
        name: '3 attempts per layer',
        colour: colours.naive,
        values: factors(await playStorm({ ...storm, discipline: naive })),
      },
      {
        name: 'budgets, no passport',
        colour: colours.alone,
        dashed: true,
        values: factors(await playStorm({ ...storm, discipline: alone })),
      },
      {
        name: 'budgets and passport',
        colour: colours.rails,
        values: factors(await playStorm({ ...storm, discipline: passport })),
      },
    ],
  });
}

async function cascadeChart(): Promise<string> {
  const cascade = { seconds: 61, slow: [10, 20], seed: 1 } as const;
  const naive = await playCascade({ ...cascade, discipline: cascadeDisciplines.naive });
  const rails = await playCascade({ ...cascade, discipline: cascadeDisciplines.rails });
  const series = (report: CascadeReport, name: string, colour: string) => [
    { name: `needs stock, ${name}`, colour, values: report.withStock.slice(0, 60) },
    { name: `does not, ${name}`, colour, dashed: true, values: report.withoutStock.slice(0, 60) },
  ];
  return drawLineChart({
    title: 'Users served per second when one service is slow for ten seconds',
    description:
      'With plain retries all pages fail and stay down; on rails the other pages are not touched and all are back at once.',
    xLabel: 'seconds',
    yLabel: 'users served per second',
    yTicks: [0, 50, 100, 150],
    span: { from: 10, to: 20, name: 'stock is slow' },
    series: [...series(naive, 'plain', colours.naive), ...series(rails, 'rails', colours.rails)],
  });
}

/** Every plot of the documentation that comes out of a simulation, by file name. */
export async function renderPlots(): Promise<ReadonlyMap<string, string>> {
  return new Map([
    ['svc-client-retry-storm.svg', await stormChart()],
    ['svc-client-cascade.svg', await cascadeChart()],
  ]);
}
