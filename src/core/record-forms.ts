import {
  bookIn,
  bucketIn,
  budgetIn,
  devicesIn,
  type Fields,
  momentIn,
  standingIn,
  timeIn,
  timesIn,
  watchedIn,
  windowIn,
} from './form-fields.ts';
import {
  bookText,
  bucketText,
  budgetText,
  devicesText,
  formText,
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
 * How stores write the engine's records, and read them again. JSON, and shorter than that of the record itself: what is as in a
 * new record is left out, and times are told by how long they lie before that of the record. A failure writes five records;
 * their texts are half as long, and made in a third of the time (decision 0012).
 */

export interface RecordForm<R extends StoredRecord> {
  readonly name: string;
  write(record: R): string;
  /** @throws Fault `RECORD_CORRUPT` when a field is not what this form writes */
  read(fields: Fields, at: number): R;
}

export const accountForm: RecordForm<AccountRecord> = {
  name: 'K4',
  write: (record) => {
    const { at, standing, missingAt, devices, devicesMadeAt } = record;
    const { rotation, rotations, flood, floodUntil, softs, budget } = record;
    return formText(
      'K4',
      at,
      standingText(standing, at) +
        momentText('missingAt', missingAt, at) +
        devicesText(devices, at) +
        timesText('devicesMadeAt', devicesMadeAt, at) +
        watchedText('rotation', rotation, at) +
        timesText('rotations', rotations, at) +
        watchedText('flood', flood, at) +
        timeText('floodUntil', floodUntil, at) +
        timesText('softs', softs, at) +
        budgetText(budget, at),
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
  write: ({ at, devices }) => formText('book', at, bookText(devices, at)),
  read: (fields, at) => ({ at, devices: bookIn(fields.devices, at) }),
};

export const networkForm: RecordForm<NetworkRecord> = {
  name: 'K1',
  write: ({ at, standing, spray, devicesSeenAt, agentsSeenAt, bucket }) =>
    formText(
      'K1',
      at,
      standingText(standing, at) +
        watchedText('spray', spray, at) +
        timesText('devicesSeenAt', devicesSeenAt, at) +
        timesText('agentsSeenAt', agentsSeenAt, at) +
        bucketText(bucket, at),
    ),
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
  write: ({ at, standing, churn, bucket }) =>
    formText('K2', at, standingText(standing, at) + watchedText('churn', churn, at) + bucketText(bucket, at)),
  read: (fields, at) => ({
    at,
    standing: standingIn(fields.standing, at),
    churn: watchedIn('churn', fields.churn, fields.churnWatchUntil, at),
    bucket: bucketIn(fields.bucket, at),
  }),
};

export const networkDeviceForm: RecordForm<NetworkDeviceRecord> = {
  name: 'K3',
  write: ({ at, standing, bucket }) =>
    formText('K3', at, standingText(standing, at) + bucketText(bucket, at)),
  read: (fields, at) => ({
    at,
    standing: standingIn(fields.standing, at),
    bucket: bucketIn(fields.bucket, at),
  }),
};

export const deviceForm: RecordForm<DeviceRecord> = {
  name: 'D',
  write: ({ at, standing, dilution, dilutedAt }) =>
    formText(
      'D',
      at,
      standingText(standing, at) +
        watchedText('dilution', dilution, at) +
        momentText('dilutedAt', dilutedAt, at),
    ),
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
  write: ({ at, standing, children, accounts }) =>
    formText(
      'P',
      at,
      standingText(standing, at) +
        windowText('children', children, at) +
        windowText('accounts', accounts, at),
    ),
  read: (fields, at) => ({
    at,
    standing: standingIn(fields.standing, at),
    children: windowIn('children', fields.children, at),
    accounts: windowIn('accounts', fields.accounts, at),
  }),
};

const forms: readonly RecordForm<StoredRecord>[] = [
  accountForm,
  bookForm,
  networkForm,
  agentForm,
  networkDeviceForm,
  deviceForm,
  prefixForm,
];
const formsByName = new Map<unknown, RecordForm<StoredRecord>>(forms.map((form) => [form.name, form]));

/** The form that a key or a text names; undefined where there is none of that name. */
export const formNamed = (name: unknown): RecordForm<StoredRecord> | undefined => formsByName.get(name);
