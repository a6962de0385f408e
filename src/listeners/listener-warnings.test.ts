import { describe, expect, it } from 'vitest';
import { told, warningsOfProcess } from '../../test/conformance/process-warnings.ts';
import { harmless, ListenerWarnings } from './listener-warnings.ts';
import { tell } from './tell.ts';

const boom = new RangeError('boom');
const throwing = (): never => {
  throw boom;
};

describe('telling a listener', () => {
  it.each([
    ['throws', throwing],
    ['rejects', async () => throwing()],
  ])('reports what it fails with when it %s', async (_, listener) => {
    const faults: unknown[] = [];
    tell(listener, 1, 'decision', (fault) => faults.push(fault));
    await told();
    expect(faults).toEqual([{ event: 'decision', error: boom }]);
  });
});

describe('the warnings of listeners', () => {
  it.each([
    ['throws', throwing],
    ['rejects', async () => throwing()],
  ])('come from one that %s, and nothing else does', async (how, listener) => {
    const warnings = warningsOfProcess();
    expect(harmless(`one that ${how}`, listener)(1)).toBeUndefined();
    await told();
    expect(warnings).toMatchObject([
      {
        name: 'PortcullisWarning',
        code: 'PORTCULLIS_LISTENER',
        message: `A listener of "one that ${how}" has thrown.`,
      },
    ]);
    expect(warnings[0]?.detail).toContain('boom');
  });

  it('come at most once a minute for an event, with how many there were', async () => {
    const warnings = warningsOfProcess();
    let now = 0;
    const { warn } = new ListenerWarnings(() => now);
    for (let i = 0; i < 1_000; i += 1) warn({ event: 'refused', error: boom });
    warn({ event: 'skipped', error: boom });
    now = 59_999;
    warn({ event: 'refused', error: boom });
    now = 60_000;
    warn({ event: 'refused', error: boom });
    await told();
    expect(warnings.map(({ message }) => message)).toEqual([
      'A listener of "refused" has thrown.',
      'A listener of "skipped" has thrown.',
      'A listener of "refused" has thrown. So it has 1000 times since the last warning.',
    ]);
  });

  it('take whatever was thrown', async () => {
    const warnings = warningsOfProcess();
    const { warn } = new ListenerWarnings(() => 0);
    const thrown = [undefined, null, 'text', Object.create(null), Symbol('thrown'), { stack: 5 }];
    for (const [index, error] of thrown.entries()) warn({ event: `e${index}`, error });
    await told();
    expect(warnings).toHaveLength(thrown.length);
  });
});
