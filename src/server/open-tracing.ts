import type { ServiceConfig } from '../config/service-config.ts';
import { startTracing, type Tracing } from '../telemetry/otel/tracing.ts';
import type { Observation } from './observation.ts';

/** Spans and numbers over OTLP, where an endpoint is set; else null. */
export async function openTracing(
  { telemetry, environment }: ServiceConfig,
  { log, metrics }: Observation,
  version: string,
): Promise<Tracing | null> {
  const { otlpEndpoint, otlpHeaders, serviceName, traceRatio, metricsEveryMs } = telemetry;
  if (otlpEndpoint === null) return null;
  return startTracing({
    endpoint: otlpEndpoint,
    headers: otlpHeaders,
    serviceName,
    version,
    environment,
    traceRatio,
    metricsEveryMs,
    registry: metrics.registry,
    onFault: (signal) => log.warn({ what: signal }, 'an export over OTLP failed'),
  });
}
