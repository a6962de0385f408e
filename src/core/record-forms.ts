import type { ClientRecord } from './client-state.ts';
import { digitsOf } from './digits.ts';
import {
  actsIn,
  askedIn,
  bookIn,
  bucketIn,
  budgetIn,
  devicesIn,
  type Fields,
  momentIn,
  numberIn,
  openActsIn,
  pinsIn,
  standingIn,
  timeIn,
  timesIn,
  watchedIn,
  windowIn,
} from './form-fields.ts';
import {
  askedText,
  bookText,
  bucketText,
  budgetText,
  devicesText,
  momentText,
  standingText,
  timesText,
  timeText,
  watchedText,
  windowText,
} from './form-texts.ts';
import type { StoredRecord } from './records.ts';
import type {
  AccountRecord,
  AgentRecord,
  BookRecord,
  DeviceRecord,
  NetworkDeviceRecord,
  NetworkRecord,
  PrefixRecord,
} from './state.ts';

/**
 * How stores write the records of the engine, of limiters and of operators, and read them again. JSON, and shorter than that
 * of the record itself: what is as in a new record is left out, and times are told by how long they lie before that of the
 * record. A failure writes five records; their texts are half as long, and made in a third of the time (decision 0012).
 */

export interface RecordForm<R extends StoredRecord> {
  readonly name: string;
  /** All but the time of the record, each part with a comma in front. */
  parts(record: R): string;
  /** @throws Fault `RECORD_CORRUPT` when a field is not what this form writes */
  read(fields: Fields, at: number): R;
  /**
   * Makes another record say what this one does. Only of records that hold nothing which is changed in place: what they hold
   * belongs to both then.
   */
  copy?(from: R, to: R): void;
}

export const accountForm: RecordForm<AccountRecord> = {
  name: 'K4',
  parts: (record) => {
    const { at, standing, missingAt, devices, devicesMadeAt } = record;
    const { rotation, rotations, flood, floodUntil, softs, budget } = record;
    return (
      standingText(standing, at) +
      momentText('missingAt', missingAt, at) +
      devicesText(devices, at) +
      timesText('devicesMadeAt', devicesMadeAt, at) +
      watchedText('rotation', rotation, at) +
      timesText('rotations', rotations, at) +
      watchedText('flood', flood, at) +
      timeText('floodUntil', floodUntil, at) +
      timesText('softs', softs, at) +
      budgetText(budget, at)
    );
  },
  read: (fields, at) => ({
    at,
    standing: standingIn(fields.standing, at),
    missingAt: momentIn('missingAt', fields.missingAt, at),
    devices: devicesIn(fields.devices, at),
    devicesMadeAt: timesIn('devicesMadeAt', fields.devicesMadeAt, at),
    rotation: watchedIn('rotation', fields.rotation, fields.rotationWatchUntil, at),
    rotations: timesIn('rotations', fields.rotations, at),
    flood: watchedIn('flood', fields.flood, fields.floodWatchUntil, at),
    floodUntil: timeIn('floodUntil', fields.floodUntil, at),
    softs: timesIn('softs', fields.softs, at),
    budget: budgetIn(fields.budget, at),
  }),
};

export const bookForm: RecordForm<BookRecord> = {
  name: 'book',
  parts: ({ at, devices }) => bookText(devices, at),
  read: (fields, at) => ({ at, devices: bookIn(fields.devices, at) }),
};

export const networkForm: RecordForm<NetworkRecord> = {
  name: 'K1',
  parts: ({ at, standing, spray, devicesSeenAt, agentsSeenAt, bucket }) =>
    standingText(standing, at) +
    watchedText('spray', spray, at) +
    timesText('devicesSeenAt', devicesSeenAt, at) +
    timesText('agentsSeenAt', agentsSeenAt, at) +
    bucketText(bucket, at),
  read: (fields, at) => ({
    at,
    standing: standingIn(fields.standing, at),
    spray: watchedIn('spray', fields.spray, fields.sprayWatchUntil, at),
    devicesSeenAt: timesIn('devicesSeenAt', fields.devicesSeenAt, at),
    agentsSeenAt: timesIn('agentsSeenAt', fields.agentsSeenAt, at),
    bucket: bucketIn(fields.bucket, at),
  }),
};

export const agentForm: RecordForm<AgentRecord> = {
  name: 'K2',
  parts: ({ at, standing, churn, bucket }) =>
    standingText(standing, at) + watchedText('churn', churn, at) + bucketText(bucket, at),
  read: (fields, at) => ({
    at,
    standing: standingIn(fields.standing, at),
    churn: watchedIn('churn', fields.churn, fields.churnWatchUntil, at),
    bucket: bucketIn(fields.bucket, at),
  }),
};

export const networkDeviceForm: RecordForm<NetworkDeviceRecord> = {
  name: 'K3',
  parts: ({ at, standing, bucket }) => standingText(standing, at) + bucketText(bucket, at),
  read: (fields, at) => ({
    at,
    standing: standingIn(fields.standing, at),
    bucket: bucketIn(fields.bucket, at),
  }),
};

export const deviceForm: RecordForm<DeviceRecord> = {
  name: 'D',
  parts: ({ at, standing, dilution, dilutedAt }) =>
    standingText(standing, at) +
    watchedText('dilution', dilution, at) +
    momentText('dilutedAt', dilutedAt, at),
  read: (fields, at) => ({
    at,
    standing: standingIn(fields.standing, at),
    dilution: watchedIn('dilution', fields.dilution, fields.dilutionWatchUntil, at),
    dilutedAt: momentIn('dilutedAt', fields.dilutedAt, at),
  }),
};

/** Prefixes of all lengths. */
export const prefixForm: RecordForm<PrefixRecord> = {
  name: 'P',
  parts: ({ at, standing, children, accounts }) =>
    standingText(standing, at) + windowText('children', children, at) + windowText('accounts', accounts, at),
  read: (fields, at) => ({
    at,
    standing: standingIn(fields.standing, at),
    children: windowIn('children', fields.children, at),
    accounts: windowIn('accounts', fields.accounts, at),
  }),
};

/** Of the clients of limiters. */
export const clientForm: RecordForm<ClientRecord> = {
  name: 'client',
  parts: (record) => {
    const { at, standing, limit } = record;
    return `${standingText(standing, at)}${bucketText(record, at)},"limit":${limit}${askedText(record, at)}`;
  },
  read: (fields, at) => {
    const { tatMs, tatUnits } = bucketIn(fields.bucket, at);
    const { asked, askingAt, asking, askedTotal } = askedIn(fields.asking, fields.asked, at);
    const limit = numberIn('limit', fields.limit);
    const standing = standingIn(fields.standing, at);
    return { at, standing, tatMs, tatUnits, limit, asked, askingAt, asking, askedTotal };
  },
  copy(from, to) {
    to.at = from.at;
    to.standing = from.standing;
    to.tatMs = from.tatMs;
    to.tatUnits = from.tatUnits;
    to.limit = from.limit;
    to.asked = from.asked;
    to.askingAt = from.askingAt;
    to.asking = from.asking;
    to.askedTotal = from.askedTotal;
  },
};

/** What operators hold in place. */
export const pinsForm: RecordForm<StoredRecord & { readonly pins: readonly object[] }> = {
  name: 'pins',
  parts: ({ pins }) => `,"pins":${JSON.stringify(pins)}`,
  read: (fields, at) => ({ at, pins: pinsIn(fields.pins) }),
};

/** What operators did, and were about to do. */
export const auditForm: RecordForm<
  StoredRecord & { readonly acts: readonly object[]; readonly open?: readonly object[] }
> = {
  name: 'audit',
  parts: ({ acts, open = [] }) => `,"acts":${JSON.stringify(acts)},"open":${JSON.stringify(open)}`,
  read: (fields, at) => ({ at, acts: actsIn(fields.acts), open: openActsIn(fields.open) }),
};

const forms: readonly RecordForm<StoredRecord>[] = [
  accountForm,
  bookForm,
  networkForm,
  agentForm,
  networkDeviceForm,
  deviceForm,
  prefixForm,
  clientForm,
  pinsForm,
  auditForm,
];
const formsByName = new Map<unknown, RecordForm<StoredRecord>>(forms.map((form) => [form.name, form]));

/** The form that a key or a text names; undefined where there is none of that name. */
export const formNamed = (name: unknown): RecordForm<StoredRecord> | undefined => formsByName.get(name);

/** The text of a record in its form. */
export function textOf<R extends StoredRecord>(form: RecordForm<R>, record: R): string {
  return `${heads[form.name]}${digitsOf(record.at)}${form.parts(record)}}`;
}

/** How texts begin. */
const heads = Object.fromEntries(forms.map(({ name }) => [name, `{"form":"${name}","at":`]));
