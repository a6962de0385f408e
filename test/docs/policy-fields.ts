import { defaultApi, defaultLogin, defaultOtp, type Policy } from '../../src/index.ts';
import { span } from './pictures/drawing.ts';

/** What each number of a policy does, by its path. A field without words here has none on the page, and a test says so. */
const meanings: Readonly<Record<string, string>> = {
  actions: 'what is attempted; an action belongs to one policy',
  ownerLane: 'a trusted device answers only for itself',
  'ladder.durationsMs': 'how long a block takes, level 1 to 6; rising',
  'ladder.memoryMs': 'how long each level is remembered after a block',
  'ladder.maxLevel': 'no block goes higher',
  'ladder.maxAdvisoryLevel': 'no block goes higher that rests on an address alone',
  'ladder.cycleMs': 'a block this soon after the begin of the last one pauses the forgetting of points',
  'ladder.decayPauseMs': 'for so long',
  'caps.accountDevices': 'devices remembered per account',
  'caps.newAccountDevices': 'new ones among them, within the time below',
  'caps.newAccountDevicesMs': 'that time',
  'caps.networkDevices': 'new devices a network may show, within the time below',
  'caps.networkAgents': 'new agents a network may show; further ones share one key',
  'caps.networkSightsMs': 'that time',
  'caps.bookDevices': 'known devices per account',
  'retention.recordMs': 'how long a record lives after its last write; longer than the longest block',
  'retention.bookMs': 'how long the book lives',
  'score.knownDevice': 'points on K5 for a failure of a known device',
  'score.newDevice': 'points on K4 for a failure of a device that is not known',
  'score.missingDevice': 'points on K2 for a failure without a device',
  'score.missingDeviceAgain': 'points on K4 for another one, within the time below',
  'score.sprayedAccount': 'points on K1 when spray sees one more account',
  'score.missingDeviceAgainMs': 'what "again" means',
  'score.softFrom': 'points from which on a SOFT speaks',
  'score.hardFrom': 'points from which on a HARD of level 2 speaks',
  'score.severeFrom': 'points from which on a HARD of level 3 or higher speaks',
  'score.decayMs.account': 'K4 forgets a point each',
  'score.decayMs.accountDevice': 'K5 forgets a point each',
  'score.decayMs.network': 'K1 and K2 forget a point each',
  'budget.threshold': 'failures within an epoch that make the budget active',
  'budget.epochMs': 'the epoch; never extended',
  'budget.cooldownMs': 'time between two of its SOFTs',
  'budget.level': 'level of its SOFT',
  'budget.trustedLevel': 'the same for a trusted device',
  'budget.countsEveryFailure': 'whether every failure counts, or only the eligible ones',
  'budget.knownDeviceGrace': 'free failures of a known device within an epoch',
  'budget.shownAtCheck': 'whether `check` shows it, deferred',
  'budget.guardLevel': 'level of the recovery guard; null: there is none',
  'correlation.watchMs': 'how long a rule stays on watch after one below its threshold',
  'correlation.spray.count': 'accounts of one network; `spray: null` turns it off',
  'correlation.spray.windowMs': 'within',
  'correlation.rotation.count': 'new devices of one account',
  'correlation.rotation.windowMs': 'within',
  'correlation.rotationRepeat.count': 'rotations of one account',
  'correlation.rotationRepeat.windowMs': 'within',
  'correlation.rotationRepeat.level': 'the level they lead to, at least',
  'correlation.dilution.count': 'networks of one device',
  'correlation.dilution.windowMs': 'within',
  'correlation.dilution.confirmFromMs': 'a second window confirms from then on',
  'correlation.dilution.confirmUntilMs': 'and until then',
  'correlation.churn.count': 'devices of one network and agent',
  'correlation.churn.windowMs': 'within',
  'correlation.flood.count': 'new devices of one account, failing or not',
  'correlation.flood.windowMs': 'within',
  'correlation.flood.runsMs': 'how long it runs then',
  'correlation.flood.capacity': 'devices it remembers while it runs',
  'correlation.equilibrium.count': 'entries into SOFT',
  'correlation.equilibrium.windowMs': 'within',
  'correlation.prefixes.windowMs': 'IPv6 prefixes: failures within; `prefixes: null` turns them off',
  'correlation.prefixes.childCapacity': 'children remembered per prefix',
  'correlation.prefixes.p48.children': 'networks of a /48',
  'correlation.prefixes.p48.accounts': 'and accounts',
  'correlation.prefixes.p40.children': '/48s of a /40',
  'correlation.prefixes.p40.accounts': 'and accounts',
  'correlation.prefixes.p32.children': '/40s of a /32',
  'correlation.prefixes.p32.accounts': 'and accounts',
  'limits.minor': 'calls a minute of a network and agent',
  'limits.moderate': 'calls a minute of a network and device',
  'limits.severe': 'calls a minute of a network',
};

/** Fields that a file does not set. */
const given = new Set(['kind', 'name']);

/** The numbers of a policy by their paths. */
export function fieldsOf(policy: Policy): ReadonlyMap<string, string> {
  const fields = new Map<string, string>();
  const enter = (value: unknown, path: string) => {
    if (typeof value !== 'object' || value === null || Array.isArray(value))
      fields.set(path, shown(path, value));
    else
      for (const [name, inner] of Object.entries(value)) enter(inner, path === '' ? name : `${path}.${name}`);
  };
  enter(policy, '');
  for (const path of given) fields.delete(path);
  return fields;
}

function shown(path: string, value: unknown): string {
  if (Array.isArray(value)) return value.map((item) => shown(path, item)).join(', ');
  if (typeof value === 'number' && path.includes('Ms')) return span(value);
  return typeof value === 'string' ? `\`${value}\`` : String(value);
}

/** The table of every field with the defaults of the three policies. */
export function policyTable(): string {
  const policies = [defaultLogin, defaultOtp, defaultApi].map(fieldsOf);
  const paths = [...new Set(policies.flatMap((fields) => [...fields.keys()]))];
  const rows = paths
    .filter((path) => path in meanings)
    .map((path) => {
      const cells = policies.map((fields) => fields.get(path) ?? '–');
      return `| \`${path}\` | ${cells.join(' | ')} | ${meanings[path]} |`;
    });
  return ['| field | login | otp | api | is |', '| --- | --- | --- | --- | --- |', ...rows].join('\n');
}

/** Fields that the table does not explain, and explanations of fields that are gone. */
export function unexplained(): string[] {
  const paths = new Set(
    [defaultLogin, defaultOtp, defaultApi].flatMap((policy) => [...fieldsOf(policy).keys()]),
  );
  return [
    ...[...paths].filter((path) => !(path in meanings) && !isTurnedOff(path)),
    ...Object.keys(meanings).filter((path) => !paths.has(path)),
  ];
}

/** `spray: null` of one policy is the absence of what another one has. */
const isTurnedOff = (path: string): boolean =>
  Object.keys(meanings).some((known) => known.startsWith(`${path}.`));
