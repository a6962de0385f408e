import { describe, expect, it } from 'vitest';
import type { Decision } from '../../src/core/decision.ts';
import { DAY, HOUR, MINUTE, Scene, said } from './scene.ts';

/** Failures far enough apart that no score and no correlation speaks, each from a network of its own. */
function drip(scene: Scene, times: number, everyMs: number, from = 0) {
  return scene.failTimes(
    times,
    (index) => ({ device: `d${from + index}`, ip: `198.51.100.${from + index}` }),
    everyMs,
  );
}

const budgetOf = (decision: Decision) => said(decision).filter((reason) => reason.startsWith('budget'));

describe('login budget (§7)', () => {
  it('becomes active with the 20th eligible failure within 24 h and shows a deferred SOFT at check', () => {
    const scene = new Scene();
    expect(drip(scene, 19, HOUR).reasons).toEqual([]);
    scene.wait(HOUR);
    expect(said(drip(scene, 1, 0, 20))).toEqual(['budget K4 SOFT 3']);
    const decision = scene.check({ device: 'd99' });
    expect(said(decision)).toEqual(['budget K4 SOFT 3']);
    expect(decision.deferred).toBe(true);
    expect(scene.succeed({ device: 'd99' }).outcome).toBe('ALLOW');
  });

  it('shows a trusted device one level less', () => {
    const scene = new Scene();
    scene.succeed({ device: 'mine/HIGH' });
    drip(scene, 20, HOUR);
    expect(said(scene.check({ device: 'mine/HIGH' }))).toEqual(['budget K4 SOFT 2']);
    scene.wait(HOUR);
    expect(said(scene.fail({ device: 'mine/HIGH' }))).toEqual(['budget K4 SOFT 2']);
  });

  it('is issued once per cooldown and never on a timer', () => {
    const scene = new Scene();
    drip(scene, 20, HOUR);
    scene.wait(5 * MINUTE);
    expect(scene.check({ device: 'x' }).outcome).toBe('ALLOW');
    scene.wait(50 * MINUTE);
    expect(budgetOf(drip(scene, 1, 0, 30))).toEqual([]);
    scene.wait(5 * MINUTE);
    expect(budgetOf(drip(scene, 1, 0, 31))).toEqual(['budget K4 SOFT 3']);
  });

  it('ends 24 h after the oldest of the failures that made it, whatever came in between', () => {
    const scene = new Scene();
    drip(scene, 20, HOUR);
    const epochEnd = DAY;
    expect(budgetOf(scene.check({ device: 'x' }))).toEqual(['budget K4 SOFT 3']);
    while (scene.t + 30 * MINUTE < epochEnd)
      scene.wait(30 * MINUTE).fail({ device: `x${scene.t}`, ip: '203.0.113.9' });
    scene.t = epochEnd - 1;
    scene.fail({ device: 'y', ip: '203.0.113.10' });
    scene.t = epochEnd;
    expect(budgetOf(scene.check({ device: 'z' }))).toEqual([]);
    expect(budgetOf(scene.fail({ device: 'z', ip: '203.0.113.11' }))).toEqual([]);
  });

  it('counts a known device only after eight failures of its own within 24 h', () => {
    const scene = new Scene();
    scene.succeed({ device: 'mine' });
    const failures = 8 + 20;
    const decisions = Array.from({ length: failures }, () =>
      said(scene.wait(51 * MINUTE).fail({ device: 'mine' })),
    );
    expect(decisions.slice(0, -1).flat()).toEqual([]);
    expect(decisions.at(-1)).toEqual(['budget K4 SOFT 3']);
  });
});

describe('otp budget (§7)', () => {
  const otp = (device: string) => ({ action: 'auth.otp', device });

  it('counts every failure and is not shown at check', () => {
    const scene = new Scene();
    const decision = scene.failTimes(10, (index) => otp(`d${index}`), HOUR);
    expect(said(decision)).toEqual(['score K4 SOFT 1', 'budget K4 SOFT 4']);
    scene.wait(MINUTE);
    expect(scene.check(otp('d77')).outcome).toBe('ALLOW');
  });

  it('gives a known device one more failure before it becomes active', () => {
    const scene = new Scene();
    scene.succeed(otp('mine'));
    scene.failTimes(9, (index) => otp(`d${index}`), HOUR);
    scene.wait(HOUR);
    expect(said(scene.fail(otp('mine')))).toEqual(['guard K4 SOFT 2', 'score K5 SOFT 1']);
    scene.wait(HOUR);
    expect(said(scene.fail(otp('mine')))).toEqual(['budget K4 SOFT 4', 'score K5 SOFT 1']);
  });
});
