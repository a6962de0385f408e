import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { faultCatalogue } from '../../src/index.ts';
import { allBlocks, documents, textOf } from './blocks.ts';
import { shellCommands } from './shell-words.ts';

interface Alert {
  readonly alert: string;
  readonly expr: string;
  readonly labels: { readonly severity: string };
  readonly annotations: { readonly summary: string };
}

const { groups } = parse(textOf('examples/prometheus/alerts.yaml')) as { groups: { rules: Alert[] }[] };
const alerts = groups.flatMap(({ rules }) => rules);
const runbook = textOf('docs/operating/runbook.md');

/** The metrics of the reference, with their labels. */
const metrics = new Map(
  [...textOf('docs/reference/metrics.md').matchAll(/^\| `(portcullis_\w+)` \| (.*?) \|/gm)].map(
    ([, name = '', labels = '']) => [name, [...labels.matchAll(/`(\w+)`/g)].map(([, label = '']) => label)],
  ),
);

/** A histogram shows as three series, one of them by its buckets. */
const labelsOf = (series: string): readonly string[] | undefined => {
  const histogram = metrics.get(series.replace(/_(bucket|count|sum)$/, ''));
  return metrics.get(series) ?? (histogram && [...histogram, 'le']);
};

/** What an expression uses that no metric has. */
function strangers(expr: string): string[] {
  const series = [...expr.matchAll(/(portcullis_\w+)(?:\{([^}]*)\})?/g)].flatMap(
    ([, name = '', chosen = '']) => {
      const labels = labelsOf(name);
      if (labels === undefined) return [name];
      const used = [...chosen.matchAll(/(\w+)\s*(?:=~|!=|!~|=)/g)].map(([, label = '']) => label);
      return used.filter((label) => !labels.includes(label)).map((label) => `${name}{${label}}`);
    },
  );
  const named = [...expr.matchAll(/portcullis_\w+/g)].flatMap(([name]) => labelsOf(name) ?? []);
  const grouped = [...expr.matchAll(/by \(([^)]*)\)/g)].flatMap(([, list = '']) => list.split(/,\s*/));
  return [...series, ...grouped.filter((label) => !named.includes(label)).map((label) => `by ${label}`)];
}

describe('the alerts', () => {
  it('are there, each with its words', () => {
    expect(alerts.length).toBeGreaterThanOrEqual(12);
    for (const { labels, annotations } of alerts) {
      expect(['page', 'ticket']).toContain(labels.severity);
      expect(annotations.summary.length).toBeGreaterThan(20);
    }
  });

  it.each(alerts)('use metrics and labels of the reference: $alert', ({ expr }) => {
    expect(expr).toContain('portcullis_');
    expect(strangers(expr)).toEqual([]);
  });

  it('would be caught otherwise', () => {
    expect(
      strangers(
        'sum by (le, colour) (rate(portcullis_decision_total[5m])) + portcullis_pins{king="x"} + portcullis_pins_count',
      ),
    ).toEqual(['portcullis_decision_total', 'portcullis_pins{king}', 'by colour']);
  });

  it('look for codes that there are', () => {
    const codes = alerts.flatMap(({ expr }) =>
      [...expr.matchAll(/code="(\w+)"/g)].map(([, code = '']) => code),
    );
    expect(codes.length).toBeGreaterThan(0);
    expect(codes.filter((code) => !(code in faultCatalogue))).toEqual([]);
  });

  it('see the first of what should never happen: its series was not there before', () => {
    const rare = alerts.filter(({ expr }) => /increase\([^)]*\) > 0/.test(expr));
    expect(rare.length).toBeGreaterThan(3);
    for (const { expr } of rare) {
      const [, series = '', span = ''] = /increase\((.*)\[(\w+)\]\) > 0/.exec(expr) ?? [];
      expect(expr).toContain(`or (${series} unless ${series} offset ${span}) > 0`);
    }
  });

  it('speak of labels that what they show still has', () => {
    for (const { expr, annotations } of alerts) {
      for (const [, label = ''] of annotations.summary.matchAll(/\$labels\.(\w+)/g)) {
        const named = [...expr.matchAll(/portcullis_\w+/g)].flatMap(([name]) => labelsOf(name) ?? []);
        expect(named).toContain(label);
      }
    }
  });
});

describe('the page of capacity', () => {
  it('has the speeds that the page of benchmarks has', () => {
    const [, table = ''] =
      /## How much CPU\n\n((?:\|.*\n)+)/.exec(textOf('docs/operating/capacity.md')) ?? [];
    const speeds = [...table.matchAll(/\| ([\d,]+) \|$/gm)].map(([, speed = '']) => speed);
    expect(speeds.length).toBeGreaterThan(3);
    expect(speeds.filter((speed) => !textOf('docs/operating/benchmarks.md').includes(`${speed}/s`))).toEqual(
      [],
    );
  });
});

describe('the runbook', () => {
  it('has a part for each alert and no other', () => {
    const parts = [...runbook.matchAll(/^## (Portcullis\w+)$/gm)].map(([, name]) => name);
    expect(parts).toEqual(alerts.map(({ alert }) => alert));
  });

  it('says which of them page, as the rules do', () => {
    const paging = [...runbook.matchAll(/^\| \[(Portcullis\w+)\].*?\| (yes|no) \|/gm)].map(
      ([, name, word]) => [name, word === 'yes' ? 'page' : 'ticket'],
    );
    expect(paging).toEqual(alerts.map(({ alert, labels }) => [alert, labels.severity]));
  });
});

describe('metrics that documents name', () => {
  it('are those of the reference', () => {
    const unknown = documents().flatMap((document) =>
      [...textOf(document).matchAll(/(?<!@)\bportcullis_\w+/g)]
        .filter(([name]) => labelsOf(name) === undefined)
        .map(([name]) => `${document}: ${name}`),
    );
    expect(unknown).toEqual([]);
  });
});

/** `GET /v1/blocks/:id`: the routes of the HTTP reference, which is made from the service's own. */
const routes = [...textOf('docs/reference/http.md').matchAll(/^\| ([A-Z]+) \| `(\/[^`]*)` \|/gm)].map(
  ([, method = '', path = '']) => ({ method, pattern: path.split('/') }),
);

const isRoute = (method: string | null, path: string): boolean => {
  const parts = (path.split('?')[0] ?? '').split('/');
  return routes.some(
    (route) =>
      (method === null || route.method === method) &&
      route.pattern.length === parts.length &&
      route.pattern.every((part, index) => part.startsWith(':') || part === parts[index]),
  );
};

describe('routes that documents name', () => {
  it('are those of the service', () => {
    const unknown = documents().flatMap((document) =>
      [...textOf(document).matchAll(/`(?:(GET|POST|PUT|DELETE) )?(\/v1\/[\w/:?=-]*\w)`/g)]
        .filter(([, method, path = '']) => !isRoute(method ?? null, path))
        .map(([, , path]) => `${document}: ${path}`),
    );
    expect(unknown).toEqual([]);
  });

  it('are those that its commands ask', () => {
    const asked = allBlocks()
      .filter(({ language }) => language === 'bash' || language === 'sh')
      .flatMap(({ place, code }) => shellCommands(code).map((command) => ({ place, command })))
      .filter(({ command }) => command[0] === 'curl')
      .flatMap(({ place, command }) =>
        command.filter((word) => word.startsWith('http://127.0.0.1:8470/')).map((url) => ({ place, url })),
      );
    expect(asked.length).toBeGreaterThan(8);
    expect(asked.filter(({ url }) => !isRoute(null, new URL(url).pathname))).toEqual([]);
  });

  it('would be caught otherwise', () => {
    expect(routes.length).toBeGreaterThan(15);
    expect([
      isRoute('DELETE', '/v1/blocks/x'),
      isRoute('GET', '/v1/blocks/x'),
      isRoute(null, '/v1/block'),
    ]).toEqual([true, false, false]);
  });
});
