import { Fault } from '../core/fault.ts';
import { AddressRanges } from '../identity/address-ranges.ts';
import { placeOfUrl } from '../stores/redis/url-place.ts';
import type { Problem } from './problem.ts';
import type { ServiceData } from './service-schema.ts';
import { isStoreName, storeForms } from './store-name.ts';

type Report = (path: string, message: string) => void;

/** Problems of a document that no single field's schema shows. */
export function senseProblems(data: ServiceData): Problem[] {
  const problems: Problem[] = [];
  const report: Report = (path, message) => {
    problems.push({ path, message });
  };
  judgeTokens(data.tokens ?? [], report);
  judgeStore(data.store, report);
  judgeRanges(
    'trustedProxies',
    (data.trustedProxies ?? []).filter((proxy) => proxy !== 'unix'),
    report,
  );
  judgeLimits(data.limits, report);
  judgeScenarios(data.scenarios, report);
  judgeKratos(data.kratos, report);
  judgeUrl('telemetry.otlpEndpoint', data.telemetry?.otlpEndpoint, report);
  return problems;
}

function judgeTokens(tokens: NonNullable<ServiceData['tokens']>, report: Report): void {
  const names = new Set<string>();
  tokens.forEach(({ name, sha256, token }, index) => {
    if ((sha256 === undefined) === (token === undefined)) {
      report(`tokens[${index}]`, 'must have either sha256 or token');
    }
    if (names.has(name)) report(`tokens[${index}].name`, 'is the name of a token before it');
    names.add(name);
  });
}

function judgeStore(store: string | undefined, report: Report): void {
  if (store === undefined) return;
  if (!isStoreName(store)) report('store', `must be ${storeForms}`);
  else if (store.startsWith('redis')) judge('store', () => placeOfUrl(store), /^url |\.$/g, report);
}

function judgeRanges(path: string, ranges: readonly string[], report: Report): void {
  ranges.forEach((range, index) => {
    judgeRange(`${path}[${index}]`, range, report);
  });
}

function judgeRange(path: string, range: string, report: Report): void {
  judge(path, () => AddressRanges.of('range', [range]), 'range[0] ', report);
}

/** Reports what a part refuses that is made of the value; `around` is what its message says besides. */
function judge(path: string, make: () => unknown, around: string | RegExp, report: Report): void {
  try {
    make();
  } catch (cause) {
    if (!(cause instanceof Fault)) throw cause;
    report(path, cause.message.replace(around, ''));
  }
}

function judgeLimits(limits: ServiceData['limits'], report: Report): void {
  limits?.overrides?.forEach(({ user, cidr }, index) => {
    const path = `limits.overrides[${index}]`;
    if ((user === undefined) === (cidr === undefined)) report(path, 'must have either a user or a cidr');
    if (cidr !== undefined) judgeRange(`${path}.cidr`, cidr, report);
  });
  limits?.services?.forEach(({ path }, index, { length }) => {
    if (path === undefined && index < length - 1)
      report(
        `limits.services[${index}]`,
        'must have a path: without one it takes all calls from those after it',
      );
  });
  judgeRanges('limits.allow.cidrs', limits?.allow?.cidrs ?? [], report);
}

function judgeScenarios(scenarios: ServiceData['scenarios'], report: Report): void {
  if (scenarios === undefined || Array.isArray(scenarios)) return;
  judgeRanges('scenarios.allow.cidrs', scenarios.allow?.cidrs ?? [], report);
}

function judgeKratos(kratos: ServiceData['kratos'], report: Report): void {
  if (kratos === null || kratos === undefined) return;
  judgeUrl('kratos.upstreamUrl', kratos.upstreamUrl, report);
  judgeRanges('kratos.webhooks.cidrs', kratos.webhooks?.cidrs ?? [], report);
  if (kratos.webhooks?.token !== undefined && kratos.webhooks.tokenSha256 !== undefined) {
    report('kratos.webhooks', 'must have either token or tokenSha256');
  }
}

function judgeUrl(path: string, url: string | null | undefined, report: Report): void {
  if (url === null || url === undefined) return;
  if (URL.canParse(url) && /^https?:\/\//i.test(url)) return;
  report(path, `must be an http or https URL, got a string of ${url.length} characters`);
}
