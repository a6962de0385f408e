import type { StoredRecord } from '../../core/records.ts';
import { recordOfJson } from '../record-json.ts';

/** The version of a record that is not there. */
const absentVersion = '0';

/** What stood under a key at one moment. */
export class Row {
  readonly version: string;
  readonly #expiresAt: number;
  readonly #json: string;
  #value: StoredRecord | undefined;

  /** @param value is what the JSON says, where that is known. */
  constructor(version: string, json: string, expiresAt: number, value?: StoredRecord) {
    this.version = version;
    this.#json = json;
    this.#expiresAt = expiresAt;
    this.#value = value;
  }

  /**
   * The record, or undefined once its expiry has come, whether or not the sweep has dropped it.
   *
   * @param form that of its key
   */
  valueAt(now: number, form?: string): StoredRecord | undefined {
    if (now >= this.#expiresAt) return undefined;
    this.#value ??= recordOfJson(this.#json, form);
    return this.#value;
  }
}

/** No record was there. */
export const absentRow = new Row(absentVersion, '', 0);

/** What was read under each of the texts asked for. */
export type Rows = ReadonlyMap<string, Row>;

/** Rows and the server's time when it read them. */
export interface Reading {
  readonly rows: Rows;
  readonly now: number;
}
