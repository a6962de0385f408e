import { describe, expect, it } from 'vitest';
import { told, warningsOfProcess } from '../../test/conformance/process-warnings.ts';
import { testKeys } from '../../test/simulation/svc-client/simulated-client.ts';
import { SvcEmitter } from './events.ts';
import { acceptPassport, createCheckpoint } from './index.ts';
import { KeyRing } from './key-ring.ts';
import { writePassport } from './passport.ts';
import { UnheardWarnings } from './unheard-warnings.ts';

const hops = ['a@1', 'b@1', 'a@1', 'b@1', 'a@1'];
const loop = { kind: 'loop', side: 'callee', requestId: 'r1', hops, count: 1 } as const;

describe('what nobody listens to', () => {
  it('becomes a warning of the process, of each kind at most one a minute', async () => {
    const warnings = warningsOfProcess();
    let now = 0;
    const events = new SvcEmitter();
    const unheard = new UnheardWarnings(() => now);
    for (let i = 0; i < 1_000; i += 1) unheard.loop(events, loop);
    unheard.passport(events, { flaw: 'bad-signature' });
    now = 59_999;
    unheard.passport(events, { flaw: 'too-long' });
    now = 60_000;
    unheard.loop(events, { ...loop, requestId: 'r2' });
    await told();
    expect(warnings.map(({ name, code, message }) => [name, code, message])).toEqual([
      [
        'PortcullisWarning',
        'PORTCULLIS_LOOP',
        'SECURITY: request r1 went round in a loop, a@1 > b@1 > a@1 > b@1 > a@1. Nobody listens to "security".',
      ],
      [
        'PortcullisWarning',
        'PORTCULLIS_PASSPORT_DROPPED',
        'A passport was dropped: bad-signature. Nobody listens to "passport-dropped".',
      ],
      [
        'PortcullisWarning',
        'PORTCULLIS_LOOP',
        'SECURITY: request r2 went round in a loop, a@1 > b@1 > a@1 > b@1 > a@1. So it was 999 times since the last warning. Nobody listens to "security".',
      ],
    ]);
  });

  it('is no warning where somebody listens, and one again when the listener has gone', async () => {
    const warnings = warningsOfProcess();
    const events = new SvcEmitter();
    const heard: unknown[] = [];
    const endings = [
      events.on('security', (event) => heard.push(event)),
      events.on('passport-dropped', (event) => heard.push(event)),
    ];
    const unheard = new UnheardWarnings(() => 0);
    const happen = () => {
      unheard.loop(events, loop);
      unheard.passport(events, { flaw: 'malformed' });
    };
    happen();
    await told();
    expect(heard).toEqual([loop, { flaw: 'malformed' }]);
    expect(warnings).toEqual([]);
    for (const end of endings) end();
    happen();
    await told();
    expect(warnings).toHaveLength(2);
  });

  it('is warned of at a checkpoint that a host has only made', async () => {
    const warnings = warningsOfProcess();
    const [key = { id: '', secret: '' }] = testKeys;
    const checkpoint = createCheckpoint({ self: 'a@1', keys: testKeys });
    const passport = { requestId: 'r1', hops, retries: 1, remainingMs: 1_000, nonce: 'n' };
    const circling = writePassport(passport, new KeyRing(key, null));
    for (const text of [circling, circling, 'forged', 'forged']) {
      acceptPassport({ 'x-portcullis-passport': text }, checkpoint);
    }
    await told();
    expect(warnings.map(({ code }) => code)).toEqual(['PORTCULLIS_LOOP', 'PORTCULLIS_PASSPORT_DROPPED']);
    expect(checkpoint.counters).toMatchObject({ loops: 2, droppedPassports: 2 });
  });
});
