// Writes the page of benchmarks from what all benches have measured: nobody copies a number by hand.

const titles = {
  engine: 'A login failure in memory',
  stores: 'Operations by store',
  redis: 'Login attempts on one Redis',
  'redis-cluster': 'Login attempts on a Redis cluster',
  http: 'Limits in web frameworks',
  service: 'The service over HTTP',
  grpc: 'The service over gRPC',
  kratos: 'The proxy in front of Kratos',
  concurrency: 'A cap on calls at once',
  'svc-client': 'A call between services',
  replay: 'Event files, one core',
  logs: 'Access logs, one core',
};

/** Below this we call it a loss; above its inverse, a win. Between them a next run may say the opposite. */
const level = 0.95;

/**
 * What does less than we do shows where the floor is: a server that decides nothing, a counter that keeps nothing. It is
 * no peer, so it wins or loses nothing.
 */
function isPeer({ bench, peer }) {
  return !/\bbare\b|nginx|^undici \d+$/.test(peer) && !(bench === 'stores' && peer.endsWith('memory ×4'));
}

/**
 * @param results as `--json` prints them, of all benches
 * @param machine what they ran on, in a few words
 */
export function pageOf(results, machine) {
  const compared = results.filter((result) => result.ratio !== null && isPeer(result));
  const losses = compared.filter(({ ratio }) => ratio < level).sort((a, b) => a.ratio - b.ratio);
  const wins = compared.filter(({ ratio }) => ratio > 1 / level);
  const benches = Object.keys(titles).filter((name) => results.some(({ bench }) => bench === name));
  return [
    '# Benchmarks',
    '',
    'Made by `npm run bench -- all --page`, which takes about half an hour. `npm run bench -- NAME` runs one of them, `--json` prints',
    'a line per result. We and each peer run in the same run, in turns; what each of them does is said in the head of its bench. A ratio above 1',
    'means that we are better. Timings never decide a test.',
    '',
    `Measured on ${machine}. Numbers vary by a third between runs, ratios less; where others take`,
    'the cache of the processor, what is decided in memory takes twice as long, and a counter does not: we know some kilobytes of each subject.',
    '',
    `Of ${compared.length} comparisons with peers we win ${wins.length} and lose ${losses.length}; the rest is level. What does less than we do, such as a server that`,
    'decides nothing or a counter that is not kept, shows where the floor is and is not counted.',
    '',
    '## Where we lose',
    '',
    ...table(losses, ({ bench, metric }) => `${bench}: ${metricText(metric)}`),
    '',
    'A login failure reads six records and writes five, with windows, budgets and blocks, where a counter adds one to a number: without a check before',
    'it that is two round trips, and for new subjects most of the time goes into their keys and texts.',
    ...benches.flatMap((name) => [
      '',
      `## ${titles[name]}`,
      '',
      `\`npm run bench -- ${name}\``,
      '',
      ...table(
        results.filter(({ bench }) => bench === name),
        ({ metric }) => metricText(metric),
      ),
    ]),
    '',
  ].join('\n');
}

function table(results, nameOf) {
  const rows = results.map((result) => {
    const { metric, ours, peer, peerValue, ratio } = result;
    const unit = unitOf(metric);
    const theirs = peer === null ? '–' : `${peer}: ${valueText(peerValue, unit)}`;
    return `| ${nameOf(result)} | ${valueText(ours, unit)} | ${theirs} | ${ratio === null ? '–' : `${ratio.toFixed(2)}×`} |`;
  });
  return ['| | ours | peer | ratio |', '| --- | --- | --- | --- |', ...rows];
}

const unitPattern = / \(([^()]+)\)$/;

const metricText = (metric) => metric.replace(unitPattern, '');

/** The unit stands last in a metric, in parentheses; what is counted per second goes without the name of it. */
function unitOf(metric) {
  const [, unit = ''] = unitPattern.exec(metric) ?? [];
  return unit.endsWith('/s') ? '/s' : unit === '' ? '' : ` ${unit}`;
}

/** Three digits tell what a run can tell. */
function valueText(value, unit) {
  const rounded = Number(value.toPrecision(3));
  return `${Math.abs(rounded) >= 1_000 ? rounded.toLocaleString('en-US') : String(rounded)}${unit}`;
}
