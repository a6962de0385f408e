import { describe, expect, it } from 'vitest';
import { MINUTE, Scene, SECOND, said } from './scene.ts';

describe('consume (§11)', () => {
  it('slows an agent down at 120 a minute and says exactly when it conforms again', () => {
    const scene = new Scene();
    for (let call = 0; call < 120; call += 1) expect(scene.consume({ device: 'd1' }).outcome).toBe('ALLOW');
    const decision = scene.consume({ device: 'd1' });
    expect(said(decision)).toEqual(['minor K2 SOFT 1']);
    expect(decision.until).toBe(500);
    scene.wait(499);
    expect(scene.consume({ device: 'd1' }).outcome).toBe('SOFT_BLOCK');
    scene.wait(1);
    expect(scene.consume({ device: 'd1' }).outcome).toBe('ALLOW');
  });

  it('stores nothing of a minor excess: check allows', () => {
    const scene = new Scene();
    scene.consume({ cost: 120 });
    scene.consume();
    expect(scene.check({ action: 'api.heavy' }).outcome).toBe('ALLOW');
  });

  it('blocks a device over 300, and for a passive one the agent instead', () => {
    const calls = (scene: Scene, device: string) =>
      Array.from({ length: 3 }, (_, index) =>
        scene.consume({ device, cost: 120, ua: `Firefox/${index + 1}` }),
      ).at(-1);
    const scene = new Scene();
    expect(said(calls(scene, 'd1') ?? scene.check())).toEqual(['moderate K3 HARD 2']);
    const passive = new Scene();
    expect(said(calls(passive, 'd1/LOW') ?? passive.check())).toEqual(['moderate K2 HARD 2']);
    expect(passive.consume({ device: 'd1/LOW', ua: 'Firefox/9' }).outcome).toBe('ALLOW');
  });

  it('blocks a network over 600, at most level 3', () => {
    const scene = new Scene();
    const flood = () =>
      Array.from({ length: 6 }, (_, index) =>
        scene.consume({ device: null, cost: 120, ua: `Chrome/${index + 1}` }),
      ).at(-1);
    expect(said(flood() ?? scene.check())).toEqual(['severe K1 HARD 3']);
    scene.wait(5 * MINUTE);
    expect(said(flood() ?? scene.check())).toEqual(['severe K1 HARD 3']);
  });

  it('does not charge a trusted device to its network', () => {
    const scene = new Scene();
    scene.succeed({ account: 'a1', device: 'mine/HIGH' });
    for (let call = 0; call < 6; call += 1)
      scene.consume({ device: null, cost: 100, ua: `Chrome/${call + 1}` });
    expect(scene.consume({ account: 'a1', device: 'mine/HIGH', ua: 'Chrome/99' }).outcome).toBe('ALLOW');
    expect(said(scene.consume({ account: 'a1', device: 'mine', ua: 'Chrome/98' }))).toEqual([
      'severe K1 HARD 3',
    ]);
  });

  it('charges each bucket on its own: a refused one takes nothing', () => {
    const scene = new Scene();
    scene.consume({ device: null, cost: 120 });
    for (let call = 0; call < 50; call += 1)
      expect(said(scene.consume({ device: null, cost: 120 })).at(0)).toMatch(/minor K2|severe K1|blocked K1/);
    scene.wait(MINUTE + SECOND);
    expect(scene.consume({ device: null, cost: 1, ip: '192.0.2.200' }).outcome).toBe('ALLOW');
  });
});
