import { describe, expect, it } from 'vitest';
import { DAY, HOUR, MINUTE, Scene, SECOND, said } from './scene.ts';

/** User agents that differ, so that churn does not speak. */
const agent = (index: number) => `Firefox/${index + 1}`;
const network = (index: number) => `198.51.100.${index + 1}`;

describe('spray (§8.1)', () => {
  const target = (index: number) => ({ account: `a${index}`, device: `d${index}`, ua: agent(index) });

  it('blocks the network at the fifth account within ten minutes', () => {
    const scene = new Scene();
    scene.failTimes(4, target, MINUTE);
    scene.wait(MINUTE);
    expect(said(scene.fail(target(4)))).toEqual(['score K1 SOFT 1', 'spray K1 HARD 2']);
    expect(said(scene.check(target(9)))).toEqual(['blocked K1 HARD 2']);
  });

  it('does not stop a known device of that network', () => {
    const scene = new Scene();
    scene.succeed({ account: 'a9', device: 'mine' });
    scene.failTimes(5, target);
    expect(scene.check({ account: 'a9', device: 'mine' }).outcome).toBe('ALLOW');
  });

  it('fires at the second approach to four accounts while the watch runs', () => {
    const scene = new Scene();
    scene.failTimes(4, target);
    scene.wait(10 * MINUTE);
    const decision = scene.failTimes(4, (index) => target(10 + index));
    expect(said(decision)).toContain('spray K1 HARD 2');
  });

  it('forgets the watch after 30 minutes', () => {
    const scene = new Scene();
    scene.failTimes(4, target);
    scene.wait(30 * MINUTE);
    expect(said(scene.failTimes(4, (index) => target(10 + index)))).toEqual(['score K1 SOFT 1']);
  });

  it('never goes above level 3: an IP alone is advisory', () => {
    const scene = new Scene();
    const levels = Array.from({ length: 4 }, (_, round) => {
      const decision = scene.failTimes(5, (index) => target(10 * round + index));
      scene.wait(6 * MINUTE);
      return decision.level;
    });
    expect(levels).toEqual([2, 3, 3, 3]);
  });
});

describe('rotation (§8.2)', () => {
  const rotate = (scene: Scene, from: number) =>
    scene.failTimes(4, (index) => ({ device: `d${from + index}`, ip: network(from + index) }), 2 * MINUTE);

  it('blocks the devices, not the account', () => {
    const scene = new Scene();
    const decision = rotate(scene, 0);
    expect(said(decision)).toEqual(['score K4 HARD 3', 'rotation K5 HARD 2']);
    expect(said(scene.check({ device: 'd0' }))).toEqual(['blocked K4 HARD 3', 'blocked K5 HARD 2']);
    scene.wait(5 * MINUTE);
    expect(scene.check({ device: 'd0' }).outcome).toBe('ALLOW');
  });

  it('blocks the account when it happens three times within 24 h', () => {
    const scene = new Scene();
    rotate(scene, 0);
    scene.wait(7 * HOUR);
    rotate(scene, 10);
    scene.wait(7 * HOUR);
    expect(said(rotate(scene, 20))).toContain('rotation.repeat K4 HARD 4');
  });
});

describe('dilution (§8.3)', () => {
  const spread = (scene: Scene, device: string, from: number) =>
    scene.failTimes(
      6,
      (index) => ({ account: `a${from + index}`, device, ip: network(from + index), ua: agent(index) }),
      SECOND,
    );

  it('never blocks a passive fingerprint, only the agent at the network', () => {
    expect(said(spread(new Scene(), 'f/LOW', 0))).toEqual(['dilution K2 HARD 2']);
  });

  it('blocks a better device when a second window confirms it', () => {
    const scene = new Scene();
    expect(said(spread(scene, 'd1', 0))).toEqual([]);
    scene.wait(10 * MINUTE);
    expect(said(spread(scene, 'd1', 10))).toEqual(['dilution D HARD 2']);
    expect(said(scene.check({ account: 'other', device: 'd1', ip: '203.0.113.5' }))).toEqual([
      'blocked D HARD 2',
    ]);
  });

  it('starts over when the second window comes too late', () => {
    const scene = new Scene();
    spread(scene, 'd1', 0);
    scene.wait(20 * MINUTE);
    expect(said(spread(scene, 'd1', 10))).toEqual([]);
  });
});

describe('churn (§8.4)', () => {
  it('blocks an agent at a network that changes its device three times', () => {
    const scene = new Scene();
    const decision = scene.failTimes(4, (index) => ({ account: 'a', device: `d${index}` }), SECOND);
    expect(said(decision)).toContain('churn K2 HARD 2');
  });
});

describe('flood (§8.5)', () => {
  /** New devices that succeed, so that no score grows. */
  const flood = (scene: Scene, times: number, from = 0) => {
    for (let index = 0; index < times; index += 1) scene.wait(SECOND).succeed({ device: `d${from + index}` });
  };

  it('is SOFT on the account first, and stored even when a success sets it off', () => {
    const scene = new Scene();
    flood(scene, 6);
    expect(said(scene.check({ device: 'other' }))).toEqual(['blocked K4 SOFT 1']);
  });

  it('blocks the devices of the window when it goes on', () => {
    const scene = new Scene();
    scene.fail({ device: 'd0/LOW' });
    flood(scene, 5, 1);
    scene.wait(MINUTE);
    expect(said(scene.fail({ device: 'late/LOW', ip: '203.0.113.4' }))).toContain('flood K5 HARD 2');
    expect(said(scene.check({ device: 'd0/LOW', ip: '203.0.113.4' }))).toContain('blocked K5 HARD 2');
  });

  it('fires again after its run when a device comes back to a window that is still full', () => {
    const scene = new Scene();
    const cameBack = (devices: number) => {
      for (let index = 0; index < devices; index += 1)
        scene.wait(SECOND).succeed({ device: `d${index}/LOW` });
    };
    cameBack(6);
    scene.wait(10 * MINUTE);
    cameBack(6);
    scene.wait(6 * MINUTE);
    expect(said(scene.check({ device: 'other' }))).toEqual([]);
    cameBack(1);
    expect(said(scene.check({ device: 'other' }))).toEqual(['blocked K4 SOFT 1']);
  });
});

describe('anti-equilibrium (§8)', () => {
  it('is HARD on the failure after three entries into SOFT within six hours', () => {
    const scene = new Scene();
    for (let round = 0; round < 3; round += 1) {
      scene.failTimes(2, () => ({ device: 'd1' }), SECOND);
      scene.wait(70 * MINUTE);
    }
    expect(said(scene.fail({ device: 'd1' }))).toEqual(['equilibrium K4 HARD 2']);
  });

  it('does not speak when they lie further apart', () => {
    const scene = new Scene();
    for (let round = 0; round < 3; round += 1) {
      scene.failTimes(2, () => ({ device: 'd1' }), SECOND);
      scene.wait(3 * HOUR + MINUTE);
    }
    expect(said(scene.fail({ device: 'd1' }))).toEqual([]);
  });
});

describe('IPv6 prefixes (§9)', () => {
  const v6 = (p40: number, p48: number, p64: number) =>
    `2001:db8:${((p40 << 8) | p48).toString(16)}:${p64.toString(16)}::1`;

  it('blocks the /64s of a /48 that spray together', () => {
    const scene = new Scene();
    const decision = scene.failTimes(5, (index) => ({
      account: `a${index}`,
      device: `d${index}`,
      ip: v6(1, 1, index),
      ua: agent(index),
    }));
    expect(said(decision)).toEqual(['prefix K1 HARD 2']);
    expect(said(scene.check({ account: 'x', ip: v6(1, 1, 0) }))).toEqual(['blocked K1 HARD 2']);
    expect(scene.check({ account: 'x', ip: v6(1, 1, 9) }).outcome).toBe('ALLOW');
  });

  it('blocks the /48s of a /40, then the /40s of a /32', () => {
    const scene = new Scene();
    const seen = new Set<string>();
    for (let index = 0; index < 100; index += 1) {
      const ip = v6(1 + (index % 10), 1 + (Math.floor(index / 10) % 5), index);
      for (const reason of said(
        scene.fail({ account: `a${index}`, device: `d${index}`, ip, ua: agent(index % 40) }),
      ))
        seen.add(reason);
    }
    expect([...seen].filter((reason) => reason.startsWith('prefix'))).toEqual(['prefix P40 HARD 2']);
    const narrow = new Scene();
    const decision = narrow.failTimes(20, (index) => ({
      account: `a${index}`,
      device: `d${index}`,
      ip: v6(1, index % 10, index),
      ua: agent(index),
    }));
    expect(said(decision)).toContain('prefix P48 HARD 2');
  });

  it('does not observe a known device', () => {
    const scene = new Scene();
    for (let index = 0; index < 5; index += 1) scene.succeed({ account: `a${index}`, device: `d${index}` });
    expect(
      said(
        scene.failTimes(5, (index) => ({ account: `a${index}`, device: `d${index}`, ip: v6(1, 1, index) })),
      ),
    ).toEqual([]);
    expect(scene.t).toBeLessThan(DAY);
  });
});
