import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { timeZoneOf } from './time-zone.ts';
import { YearFinder } from './year-finder.ts';

const wall = (text: string): number => Date.parse(`${text}Z`);
const inZone = (zone: string, text: string): string => new Date(timeZoneOf(zone)(wall(text))).toISOString();

describe('time zones', () => {
  it.each([
    ['UTC', '2024-07-01T12:00:00', '2024-07-01T12:00:00.000Z'],
    ['+02:00', '2024-07-01T12:00:00', '2024-07-01T10:00:00.000Z'],
    ['-0730', '2024-07-01T12:00:00', '2024-07-01T19:30:00.000Z'],
    ['Europe/Berlin', '2024-07-01T12:00:00', '2024-07-01T10:00:00.000Z'],
    ['Europe/Berlin', '2024-12-01T12:00:00', '2024-12-01T11:00:00.000Z'],
    ['Asia/Kathmandu', '2024-07-01T12:00:00', '2024-07-01T06:15:00.000Z'],
    // The hour that is there twice is taken as its first, the one that is skipped as if it was not.
    ['Europe/Berlin', '2024-10-27T02:30:00', '2024-10-27T00:30:00.000Z'],
    ['Europe/Berlin', '2024-10-27T03:30:00', '2024-10-27T02:30:00.000Z'],
    ['Europe/Berlin', '2024-03-31T02:30:00', '2024-03-31T01:30:00.000Z'],
    ['Europe/Berlin', '2024-03-31T03:00:00', '2024-03-31T01:00:00.000Z'],
  ])('%s %s is %s', (zone, text, utc) => {
    expect(inZone(zone, text)).toBe(utc);
  });

  it('gives the same one after the other as each alone', () => {
    const zone = timeZoneOf('America/New_York');
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 0, max: 2e12 }), { maxLength: 20 }), (times) => {
        expect(times.map((t) => zone(t))).toEqual(times.map((t) => timeZoneOf('America/New_York')(t)));
      }),
      { numRuns: 20 },
    );
  });

  it.each(['Mars/Base', '', '+2', '+99:99', '+15:00', '-01:60', 'Europe/Berlin\u001b'])(
    '%j is none',
    (name) => {
      expect(() => timeZoneOf(name)).toThrow(/a time zone must be UTC, an offset/);
    },
  );
});

describe('years', () => {
  const time = (text: string) => {
    const [month = 1, day = 1, hour = 0] = text.split(/[-T]/).map(Number);
    return { month: month - 1, day, hour, minute: 0, second: 0 };
  };
  const found = (finder: YearFinder, ...texts: string[]) =>
    texts.map((text) => {
      const t = finder.find(time(text));
      return t === null ? null : new Date(t).toISOString().slice(0, 10);
    });
  const reference = wall('2024-03-10T00:00:00');

  it('are the newest that is not after the log', () => {
    expect(found(new YearFinder(null, reference), '03-09')).toEqual(['2024-03-09']);
    expect(found(new YearFinder(null, reference), '03-12')).toEqual(['2023-03-12']);
    expect(found(new YearFinder(null, reference), '12-31')).toEqual(['2023-12-31']);
  });

  it('are as given', () => {
    expect(found(new YearFinder(2015, reference), '12-10')).toEqual(['2015-12-10']);
  });

  it('turn, both ways, around the new year', () => {
    expect(
      found(new YearFinder(2015, reference), '12-31', '01-01', '12-31', '01-02', '06-01', '11-30', '01-01'),
    ).toEqual([
      '2015-12-31',
      '2016-01-01',
      '2015-12-31',
      '2016-01-02',
      '2016-06-01',
      '2016-11-30',
      '2017-01-01',
    ]);
  });

  it('stay where a log has a hole of more than half a year', () => {
    expect(found(new YearFinder(2015, reference), '01-05', '08-01', '01-03')).toEqual([
      '2015-01-05',
      '2015-08-01',
      '2016-01-03',
    ]);
  });

  it('are not after the log where a hole would put them there', () => {
    expect(found(new YearFinder(null, reference), '03-01', '09-10', '03-02')).toEqual([
      '2024-03-01',
      '2023-09-10',
      '2024-03-02',
    ]);
  });

  it('have a leap day or not', () => {
    expect(found(new YearFinder(null, reference), '02-29')).toEqual(['2024-02-29']);
    expect(found(new YearFinder(null, wall('2023-06-01T00:00:00')), '02-29')).toEqual(['2020-02-29']);
    expect(found(new YearFinder(2015, reference), '02-28', '02-29', '03-01')).toEqual([
      '2015-02-28',
      null,
      '2015-03-01',
    ]);
    expect(found(new YearFinder(2015, reference), '12-31', '02-29')).toEqual(['2015-12-31', '2016-02-29']);
  });

  it('follow any log that is in order and has no hole of half a year', () => {
    const steps = fc.array(fc.integer({ min: 0, max: 180 * 86_400_000 }), { maxLength: 40 });
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 365 * 40 }), steps, (startDay, gaps) => {
        let t = startDay * 86_400_000;
        const finder = new YearFinder(new Date(t).getUTCFullYear(), 0);
        for (const gap of [0, ...gaps]) {
          t += Math.floor(gap / 1_000) * 1_000;
          const date = new Date(t);
          const here = finder.find({
            month: date.getUTCMonth(),
            day: date.getUTCDate(),
            hour: date.getUTCHours(),
            minute: date.getUTCMinutes(),
            second: date.getUTCSeconds(),
          });
          expect(here).toBe(t);
        }
      }),
    );
  });
});
