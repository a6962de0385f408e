import { collectDefaultMetrics, type Registry } from 'prom-client';

const lag = 'nodejs_eventloop_lag';
const meanLag = `${lag}_mean_seconds`;
const measuredLags = ['min', 'max', 'mean', 'stddev', 'p50', 'p90', 'p99'].map(
  (what) => `${lag}_${what}_seconds`,
);

/**
 * Numbers of the process and of Node. Node measures the delays of its event loop every ten milliseconds, and each look begins anew: where
 * two look at the same time, or one just after the start, nothing was measured. prom-client then tells of a mean that is no number
 * and of a least delay of 292 years, which are left out.
 */
export function collectProcessMetrics(registry: Registry): void {
  collectDefaultMetrics({ register: registry });
  const gauges = measuredLags.flatMap((name) => registry.getSingleMetric(name) ?? []);
  const mean = registry.getSingleMetric(meanLag);
  const getMean = mean?.get.bind(mean);
  if (getMean === undefined) return;
  const isMeasured = async () => (await getMean()).values.every(({ value }) => !Number.isNaN(value));
  for (const gauge of gauges) {
    const get = gauge.get.bind(gauge);
    gauge.get = async () => {
      const told = await get();
      return (await isMeasured()) ? told : { ...told, values: [] };
    };
  }
}
