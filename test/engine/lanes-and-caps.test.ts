import { describe, expect, it } from 'vitest';
import { defaultApi, defaultLogin, defaultOtp } from '../../src/core/policy.ts';
import { DAY, HOUR, MINUTE, Scene, SECOND, said } from './scene.ts';

/** Three wrong guesses by a stranger block the account. */
const besiege = (scene: Scene) => scene.failTimes(3, () => ({ device: 'stranger', ip: '203.0.113.9' }));

describe('whom a block stops (§4)', () => {
  it('a trusted device answers only for itself: the owner lane', () => {
    const scene = new Scene();
    scene.succeed({ device: 'mine/HIGH' });
    besiege(scene);
    expect(said(scene.check({ device: 'other' }))).toEqual(['blocked K4 HARD 2']);
    expect(scene.check({ device: 'mine/HIGH' }).outcome).toBe('ALLOW');
    expect(scene.succeed({ device: 'mine/HIGH' }).outcome).toBe('ALLOW');
  });

  it('with the owner lane off the account stops it too', () => {
    const scene = new Scene([{ ...defaultLogin, ownerLane: false }, defaultOtp, defaultApi]);
    scene.succeed({ device: 'mine/HIGH' });
    besiege(scene);
    expect(said(scene.check({ device: 'mine/HIGH' }))).toEqual(['blocked K4 HARD 2']);
  });

  it('a bound device shown with MEDIUM is known, not trusted; shown with LOW it is a stranger', () => {
    const scene = new Scene();
    scene.succeed({ device: 'mine/HIGH' });
    besiege(scene);
    expect(scene.check({ device: 'mine' }).outcome).toBe('HARD_BLOCK');
    scene.wait(MINUTE);
    expect(said(scene.fail({ device: 'mine', ip: '192.0.2.3' }))).toEqual([]);
    expect(said(scene.fail({ device: 'mine/LOW', ip: '192.0.2.3' }))).toContain('score K4 HARD 3');
  });

  it('trust holds for the account that bound it only', () => {
    const scene = new Scene();
    scene.succeed({ account: 'a2', device: 'mine/HIGH' });
    besiege(scene);
    expect(scene.check({ device: 'mine/HIGH' }).outcome).toBe('HARD_BLOCK');
  });

  it('the book lasts 90 days after the last success', () => {
    const scene = new Scene();
    scene.succeed({ device: 'mine/HIGH' });
    scene.wait(90 * DAY - 1);
    besiege(scene);
    expect(scene.check({ device: 'mine/HIGH' }).outcome).toBe('ALLOW');
    scene.wait(1);
    expect(scene.check({ device: 'mine/HIGH' }).outcome).toBe('HARD_BLOCK');
  });

  it('a success is refused while a HARD that stops it runs, and forgives the device otherwise', () => {
    const scene = new Scene();
    scene.succeed({ device: 'd1' });
    besiege(scene);
    expect(said(scene.succeed({ device: 'd1' }))).toEqual(['blocked K4 HARD 2']);
    scene.wait(MINUTE);
    scene.failTimes(3, () => ({ device: 'd1' }));
    expect(said(scene.check({ device: 'd1' }))).toEqual(['blocked K5 SOFT 1']);
    expect(scene.succeed({ device: 'd1' }).outcome).toBe('ALLOW');
    expect(scene.check({ device: 'd1' }).outcome).toBe('ALLOW');
    expect(said(scene.fail({ device: 'd1' }))).toEqual([]);
  });
});

describe('caps (§6)', () => {
  it('the eleventh new device of an account within 15 minutes is ephemeral: no entry, but all the rest', () => {
    const scene = new Scene();
    scene.failTimes(10, (index) => ({ device: `d${index}`, ip: `198.51.100.${index}` }), 89 * SECOND);
    const late = { device: 'late', ip: '198.51.100.99' };
    scene.wait(5 * MINUTE);
    const decision = scene.fail(late);
    expect(decision.outcome).not.toBe('ALLOW');
    expect(decision.reasons.every(({ scope }) => scope === 'K4')).toBe(true);
  });

  it('over 50 new devices of a network the next one has no K3; those seen keep theirs', () => {
    const scene = new Scene();
    for (let index = 0; index < 50; index += 1) scene.consume({ device: `d${index}` });
    const spend = (device: string) =>
      said(
        [1, 2, 3].map((major) => scene.consume({ device, cost: 119, ua: `Firefox/${major}` })).at(-1) ??
          scene.check(),
      );
    expect(spend('late')).toEqual([]);
    scene.wait(MINUTE);
    expect(spend('d0')).toEqual(['moderate K3 HARD 2']);
    scene.wait(14 * MINUTE);
    expect(spend('late')).toEqual(['moderate K3 HARD 2']);
  });

  it('an agent over the cap shares the K2 of other/0, so that its block holds', () => {
    const scene = new Scene();
    const agents = 50;
    for (let index = 0; index < agents; index += 1) {
      scene.fail({ account: 'a', device: `d${index % 3}`, ua: `Firefox/${index + 1}` });
      scene.wait(SECOND);
    }
    const strange = { account: 'b', device: null, ua: 'Chrome/77' };
    scene.fail(strange);
    scene.fail(strange);
    const blocked = said(scene.check({ account: 'c', device: 'x', ua: 'curl/8' }));
    expect(blocked).toContain('blocked K2 HARD 2');
    expect(said(scene.check({ account: 'c', device: 'x', ua: 'Firefox/1' }))).not.toContain(
      'blocked K2 HARD 2',
    );
  });
});

describe('blocks and the ladder (§10)', () => {
  it('a running block is neither extended nor counted', () => {
    const scene = new Scene();
    const { until } = besiege(scene);
    scene.wait(30 * SECOND);
    const decision = scene.fail({ device: 'stranger', ip: '203.0.113.9' });
    expect(decision.until).toBe(until);
    expect(decision.retryAfterMs).toBe(30 * SECOND);
    expect(said(decision)).toEqual(['blocked K4 HARD 2']);
  });

  it('climbs while it is remembered and falls slowly', () => {
    const scene = new Scene();
    /** Fails on until the score is severe, past each block on the way. */
    const severe = (): number => {
      const decision = scene.fail({ device: 'd1', ip: '192.0.2.44' });
      scene.t = Math.max(scene.t, decision.outcome === 'HARD_BLOCK' ? decision.until : 0);
      return decision.level >= 3 ? decision.level : severe();
    };
    expect([severe(), severe(), severe(), severe(), severe()]).toEqual([3, 4, 5, 6, 6]);
    scene.wait(24 * HOUR - 1);
    expect(severe()).toBe(6);
    scene.wait(24 * HOUR);
    expect(severe()).toBe(6);
    scene.wait(36 * HOUR);
    expect(severe()).toBe(5);
  });

  it('a record counts as absent 72 h after its last write', () => {
    const scene = new Scene();
    scene.fail({ device: 'd1' });
    scene.wait(72 * HOUR - 1);
    scene.succeed({ device: 'd2' });
    scene.wait(1);
    expect(said(scene.fail({ device: 'd1' }))).toEqual([]);
    scene.wait(72 * HOUR);
    expect(said(scene.fail({ device: 'd1' }))).toEqual([]);
  });

  it('time never runs backwards inside a record', () => {
    const scene = new Scene();
    scene.t = HOUR;
    besiege(scene);
    scene.t = 0;
    const decision = scene.check({ device: 'x' });
    expect(said(decision)).toEqual(['blocked K4 HARD 2']);
    expect(decision.retryAfterMs).toBe(HOUR + MINUTE);
  });
});
