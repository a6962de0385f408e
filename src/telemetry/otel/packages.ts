import { Fault } from '../../core/fault.ts';

/** The loaded packages by name. */
export interface OtelPackages {
  readonly '@opentelemetry/api': typeof import('@opentelemetry/api');
  readonly '@opentelemetry/resources': typeof import('@opentelemetry/resources');
  readonly '@opentelemetry/sdk-trace-base': typeof import('@opentelemetry/sdk-trace-base');
  readonly '@opentelemetry/exporter-trace-otlp-http': typeof import('@opentelemetry/exporter-trace-otlp-http');
  readonly '@opentelemetry/sdk-metrics': typeof import('@opentelemetry/sdk-metrics');
  readonly '@opentelemetry/exporter-metrics-otlp-http': typeof import('@opentelemetry/exporter-metrics-otlp-http');
}

type PackageName = keyof OtelPackages;

/** What speaks OpenTelemetry. All of it is optional: none is loaded unless an endpoint is set. */
const loaders: { readonly [N in PackageName]: () => Promise<OtelPackages[N]> } = {
  '@opentelemetry/api': () => import('@opentelemetry/api'),
  '@opentelemetry/resources': () => import('@opentelemetry/resources'),
  '@opentelemetry/sdk-trace-base': () => import('@opentelemetry/sdk-trace-base'),
  '@opentelemetry/exporter-trace-otlp-http': () => import('@opentelemetry/exporter-trace-otlp-http'),
  '@opentelemetry/sdk-metrics': () => import('@opentelemetry/sdk-metrics'),
  '@opentelemetry/exporter-metrics-otlp-http': () => import('@opentelemetry/exporter-metrics-otlp-http'),
};

/** The names, as one installs them. */
const otelPackageNames = Object.keys(loaders);

/** Loads one package. */
type LoadPackage = <N extends PackageName>(name: N) => Promise<OtelPackages[N]>;

/**
 * Loads everything that speaks OpenTelemetry.
 *
 * @param load replaces the loading of one package, for tests
 * @throws Fault `CONFIG_INVALID` that says what to install when one of them is not there.
 */
export async function loadOtel(load: LoadPackage = (name) => loaders[name]()): Promise<OtelPackages> {
  const [api, resources, traces, traceExporter, metrics, metricExporter] = await Promise.all([
    orFault(load, '@opentelemetry/api'),
    orFault(load, '@opentelemetry/resources'),
    orFault(load, '@opentelemetry/sdk-trace-base'),
    orFault(load, '@opentelemetry/exporter-trace-otlp-http'),
    orFault(load, '@opentelemetry/sdk-metrics'),
    orFault(load, '@opentelemetry/exporter-metrics-otlp-http'),
  ]);
  const packages = {
    '@opentelemetry/api': api,
    '@opentelemetry/resources': resources,
    '@opentelemetry/sdk-trace-base': traces,
    '@opentelemetry/exporter-trace-otlp-http': traceExporter,
    '@opentelemetry/sdk-metrics': metrics,
    '@opentelemetry/exporter-metrics-otlp-http': metricExporter,
  };
  assertSecondLine(packages);
  return packages;
}

/**
 * An application may have OpenTelemetry of the first line beside us, and is not kept from installing us by that. None of the
 * packages tells its version: what the first line has, and the second has not, does.
 */
function assertSecondLine(packages: OtelPackages): void {
  const isFirst = {
    '@opentelemetry/resources': !('resourceFromAttributes' in packages['@opentelemetry/resources']),
    '@opentelemetry/sdk-trace-base':
      'addSpanProcessor' in packages['@opentelemetry/sdk-trace-base'].BasicTracerProvider.prototype,
    '@opentelemetry/sdk-metrics':
      'addMetricReader' in packages['@opentelemetry/sdk-metrics'].MeterProvider.prototype,
  };
  for (const [name, isTooOld] of Object.entries(isFirst)) {
    if (!isTooOld) continue;
    throw new Fault(
      'CONFIG_INVALID',
      `telemetry.otlpEndpoint is set, but ${name} is older than 2: npm install ${otelPackageNames.map((each) => `${each}@latest`).join(' ')}`,
    );
  }
}

async function orFault<N extends PackageName>(load: LoadPackage, name: N): Promise<OtelPackages[N]> {
  try {
    return await load(name);
  } catch (cause) {
    if (!isMissing(cause)) throw cause;
    throw new Fault(
      'CONFIG_INVALID',
      `telemetry.otlpEndpoint is set, but ${name} is not installed: npm install ${otelPackageNames.join(' ')}`,
      { cause },
    );
  }
}

const isMissing = (cause: unknown): boolean =>
  cause instanceof Error && 'code' in cause && cause.code === 'ERR_MODULE_NOT_FOUND';
