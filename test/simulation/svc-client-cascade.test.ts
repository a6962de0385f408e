import { beforeAll, describe, expect, it } from 'vitest';
import {
  type Cascade,
  type CascadeReport,
  cascadeDisciplines,
  cascadeRates,
  playCascade,
} from './svc-client/cascade.ts';
import { sum } from './svc-client/retry-storm.ts';

const cascade: Cascade = { discipline: cascadeDisciplines.rails, seconds: 40, slow: [10, 20], seed: 1 };
const offered = cascadeRates;

describe('one slow service', () => {
  let naive: CascadeReport;
  let rails: CascadeReport;

  beforeAll(async () => {
    naive = await playCascade({ ...cascade, discipline: cascadeDisciplines.naive });
    rails = await playCascade(cascade);
  });

  it('serves everybody before it is slow', () => {
    for (const { withStock, withoutStock } of [naive, rails]) {
      expect(sum(withStock.slice(0, 10))).toBe(10 * offered.withStock);
      expect(sum(withoutStock.slice(0, 10))).toBe(10 * offered.withoutStock);
    }
  });

  it('takes pages with it that do not need it, when everybody just tries again', () => {
    expect(sum(naive.withoutStock.slice(11, 20))).toBe(0);
  });

  it('leaves them alone on our rails', () => {
    expect(sum(rails.withoutStock.slice(10, 20))).toBe(10 * offered.withoutStock);
  });

  it('stays down after it is well again, when everybody just tries again', () => {
    expect(sum(naive.withStock.slice(20))).toBe(0);
    expect(sum(naive.withoutStock.slice(20))).toBe(0);
    expect(Math.min(...naive.arrived.slice(30))).toBeGreaterThan(2 * offered.withStock);
  });

  it('is back within two seconds on our rails', () => {
    expect(sum(rails.withStock.slice(22, 39))).toBe(17 * offered.withStock);
  });

  it('is hardly asked while it is slow on our rails', () => {
    expect(sum(rails.arrived.slice(11, 20))).toBeLessThan(10);
  });

  it('ends the same from the same seed', async () => {
    expect(await playCascade(cascade)).toEqual(rails);
  });

  it('ends well from other seeds too', async () => {
    for (const seed of [2, 3, 4]) {
      const report = await playCascade({ ...cascade, seed });
      expect(sum(report.withoutStock.slice(0, 39))).toBe(39 * offered.withoutStock);
      expect(sum(report.withStock.slice(22, 39))).toBe(17 * offered.withStock);
    }
  });
});
