import { describe, expect, it } from 'vitest';
import { HOUR, MINUTE, Scene, SECOND, said } from './scene.ts';

describe('scores (§5)', () => {
  it('a new device costs the account 3: SOFT at 6, HARD at 9, severe at 12', () => {
    const scene = new Scene();
    expect(scene.fail({ device: 'd1' }).outcome).toBe('ALLOW');
    expect(said(scene.fail({ device: 'd1' }))).toEqual(['score K4 SOFT 1']);
    expect(said(scene.fail({ device: 'd1' }))).toEqual(['score K4 HARD 2']);
    scene.wait(MINUTE);
    expect(said(scene.fail({ device: 'd1' }))).toEqual(['score K4 HARD 3']);
  });

  it('a known device costs only itself, 2 a failure', () => {
    const scene = new Scene();
    scene.succeed({ device: 'd1' });
    const decisions = [1, 2, 3, 4].map(() => said(scene.fail({ device: 'd1' })));
    expect(decisions).toEqual([[], [], ['score K5 SOFT 1'], ['score K5 HARD 2']]);
    expect(scene.check({ device: 'd2' }).outcome).toBe('ALLOW');
    expect(said(scene.check({ device: 'd1' }))).toEqual(['blocked K5 HARD 2']);
  });

  it('a missing device costs the agent at its network 4, and the account 6 when it happens again within 30 min', () => {
    const scene = new Scene();
    expect(scene.fail({ device: null }).outcome).toBe('ALLOW');
    expect(said(scene.fail({ device: null }))).toEqual(['score K4 SOFT 1', 'score K2 HARD 2']);
    const later = new Scene();
    later.fail({ device: null });
    later.wait(30 * MINUTE);
    expect(said(later.fail({ device: null, ip: '192.0.2.9' }))).toEqual([]);
  });

  it('others may lie between two failures with a missing device', () => {
    const scene = new Scene();
    scene.fail({ device: null });
    scene.fail({ device: 'd1', ip: '192.0.2.2' });
    expect(said(scene.fail({ device: null, ip: '192.0.2.3' }))).toEqual(['score K4 HARD 2']);
  });

  it('one point is forgotten per interval, the rest of an interval is kept', () => {
    const scene = new Scene();
    scene.fail({ device: 'd1' });
    scene.wait(19 * MINUTE);
    scene.fail({ device: 'd1' });
    scene.wait(MINUTE);
    expect(said(scene.fail({ device: 'd1' }))).toEqual(['score K4 SOFT 1']);
  });

  it('a key that remembers level 2 forgets at half the speed', () => {
    const scene = new Scene();
    for (const _ of [1, 2, 3]) scene.fail({ device: 'd1' });
    scene.wait(21 * MINUTE);
    expect(said(scene.fail({ device: 'd1' }))).toEqual(['score K4 HARD 2']);
  });

  it('the score of a network is a single signal and never more than SOFT', () => {
    const scene = new Scene();
    const decisions = ['a', 'b', 'c', 'd'].map((account) =>
      said(scene.fail({ account, device: `d-${account}`, ua: `Firefox/${account.charCodeAt(0)}` })),
    );
    expect(decisions).toEqual([[], ['score K1 SOFT 1'], ['score K1 SOFT 1'], ['score K1 SOFT 1']]);
  });

  it('a second HARD within six hours pauses the decay for ten minutes', () => {
    const scene = new Scene();
    for (const _ of [1, 2, 3]) scene.fail({ device: 'd1' });
    scene.wait(MINUTE);
    expect(said(scene.fail({ device: 'd1' }))).toEqual(['score K4 HARD 3']);
    // Three steps of twenty minutes are forgotten, not four: 12 − 3 + 3 is severe, 12 − 4 + 3 would not be.
    scene.wait(10 * MINUTE + 79 * MINUTE + 59 * SECOND);
    expect(said(scene.fail({ device: 'd1', ip: '192.0.2.8' }))).toEqual(['score K4 HARD 3']);
  });

  it('otp is stricter', () => {
    const scene = new Scene();
    const otp = { action: 'auth.otp', device: 'd1' };
    expect(said(scene.fail(otp))).toEqual(['score K4 SOFT 1']);
    expect(said(scene.fail(otp))).toEqual(['score K4 HARD 3']);
    scene.wait(6 * HOUR);
    scene.succeed(otp);
    expect(said(scene.fail(otp))).toEqual(['score K5 SOFT 1']);
  });
});
