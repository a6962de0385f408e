import { type Area, arrow, box, label, picture, rectangle } from './drawing.ts';

const row =
  (y: number, height: number) =>
  (x: number, width: number): Area => ({ x, y, width, height });

/** The layers of `src`: whatever stands above may use what stands below it. */
export function layersPicture(): string {
  const roots = row(46, 46);
  const edges = row(128, 46);
  const middle = row(210, 46);
  const low = row(292, 46);
  const floor = row(374, 46);
  return picture(
    {
      width: 760,
      height: 470,
      title: 'The layers of src',
      says: 'Composition roots at the top, then edges, then guard and rails, then device, connections, folders, listeners, operators, identity and the store contract, and core at the bottom. Imports go downwards only.',
    },
    [
      label(
        { x: 20, y: 26 },
        'Imports go downwards only. Whatever knows a rule knows no store, and the other way round.',
        {
          classes: 'small faint',
        },
      ),
      box(roots(20, 352), 'blue', 'cli', ['the commands']),
      box(roots(388, 352), 'blue', 'server', ['HTTP, gRPC, SPOE; wires a service']),
      box(edges(20, 104), 'plain', 'config', ['files, environment']),
      box(edges(134, 104), 'plain', 'telemetry', ['log, metrics, feed']),
      box(edges(248, 124), 'plain', 'adapters', ['one per framework']),
      box(edges(382, 104), 'plain', 'kratos', ['in front of Kratos']),
      box(edges(496, 104), 'plain', 'testing', ['simulator, prover']),
      box(edges(610, 130), 'amber', 'stores/*', ['one folder each']),
      box(middle(20, 134), 'green', 'guard', ['check, fail, succeed']),
      box(middle(166, 104), 'green', 'limits', ['the gateway']),
      box(middle(282, 104), 'green', 'concurrency', ['one service']),
      box(middle(398, 104), 'green', 'svc-client', ['between services']),
      box(middle(514, 86), 'green', 'abuse', ['scenarios']),
      box(low(20, 114), 'plain', 'device', ['tokens, fingerprints']),
      box(low(142, 98), 'plain', 'connections', ['the other end']),
      box(low(248, 72), 'plain', 'folders', ['on the disk']),
      box(low(328, 78), 'plain', 'listeners', ['who is told']),
      box(low(414, 78), 'plain', 'operators', ['who acts']),
      box(low(500, 104), 'plain', 'identity', ['hashes who asks']),
      box(low(612, 128), 'amber', 'stores', ['store.ts: the contract']),
      box(floor(20, 720), 'green', 'core', [
        'the rules: pure steps over records; no clock, no randomness, no I/O, no imports',
      ]),
      arrow({ x: 380, y: 96 }, { x: 380, y: 122 }),
      arrow({ x: 310, y: 178 }, { x: 310, y: 204 }),
      arrow({ x: 675, y: 178 }, { x: 675, y: 286 }),
      arrow({ x: 334, y: 260 }, { x: 334, y: 286 }),
      arrow({ x: 557, y: 260 }, { x: 557, y: 286 }),
      arrow({ x: 77, y: 342 }, { x: 77, y: 368 }),
      arrow({ x: 367, y: 342 }, { x: 367, y: 368 }),
      arrow({ x: 453, y: 342 }, { x: 453, y: 368 }),
      arrow({ x: 552, y: 342 }, { x: 552, y: 368 }),
      arrow({ x: 676, y: 342 }, { x: 676, y: 368 }),
      label({ x: 20, y: 446 }, 'blue: composition roots · green: rules · amber: storage · grey: edges', {
        classes: 'small faint',
      }),
    ],
  );
}

/** One failed login from the request to the decision. */
export function decisionPicture(): string {
  const group = (x: number) => ({ x, y: 262, width: 166, height: 62 });
  return picture(
    {
      width: 760,
      height: 470,
      title: 'The way of one decision',
      says: 'A request is checked, hashed, and looked at in one view. Four groups of records run their rules, each in one atomic step. Remote effects follow, and all reasons add up to one decision.',
    },
    [
      box({ x: 20, y: 20, width: 210, height: 50 }, 'blue', 'request', ['action, account, ip, ua, device']),
      arrow({ x: 230, y: 45 }, { x: 268, y: 45 }),
      box({ x: 272, y: 20, width: 216, height: 50 }, 'plain', 'identity', ['normalise, then HMAC each part']),
      arrow({ x: 488, y: 45 }, { x: 526, y: 45 }),
      box({ x: 530, y: 20, width: 210, height: 50 }, 'plain', 'keys', ['names of up to nine records']),
      arrow({ x: 635, y: 70 }, { x: 635, y: 98 }),
      box({ x: 20, y: 102, width: 720, height: 56 }, 'amber', 'one view of all records', [
        'context: known? trusted? which blocks run? may this device be seen here?',
      ]),
      ...[103, 288, 472, 657].map((x) => arrow({ x, y: 158 }, { x, y: 258 })),
      rectangle({ x: 20, y: 186, width: 720, height: 34 }, 'red'),
      label(
        { x: 380, y: 208 },
        'a running HARD that stops this request: its group answers “blocked” and writes nothing',
        {
          classes: 'small',
          anchor: 'middle',
        },
      ),
      box(group(20), 'green', 'account', ['K4, K5, book', 'score, budget, rotation, …']),
      box(group(205), 'green', 'network', ['K1, K2, K3', 'score, spray, churn']),
      box(group(389), 'green', 'device', ['D', 'dilution']),
      box(group(574), 'green', 'prefixes', ['P48, P40, P32', 'IPv6 spray']),
      label({ x: 195, y: 348 }, 'one atomic step each:', { classes: 'small faint', anchor: 'middle' }),
      label({ x: 380, y: 348 }, 'all of a group’s records', { classes: 'small faint', anchor: 'middle' }),
      label({ x: 565, y: 348 }, 'change, or none', { classes: 'small faint', anchor: 'middle' }),
      ...[103, 288, 472, 657].map((x) => arrow({ x, y: 328 }, { x, y: 364 })),
      box({ x: 20, y: 368, width: 336, height: 44 }, 'plain', 'remote effects', [
        'what a rule does to a key of another group',
      ]),
      box({ x: 404, y: 368, width: 336, height: 44 }, 'plain', 'reasons', [
        'every rule that spoke on a key of this request',
      ]),
      arrow({ x: 356, y: 390 }, { x: 400, y: 390 }),
      arrow({ x: 572, y: 412 }, { x: 572, y: 432 }),
      label({ x: 740, y: 450 }, 'one decision: class first, then highest level and latest end', {
        classes: 'head',
        anchor: 'end',
      }),
    ],
  );
}

/** Which signal makes which key, and which keys change together. */
export function keysPicture(): string {
  const signal = (y: number, name: string, note: string) =>
    box({ x: 20, y, width: 150, height: 46 }, 'blue', name, [note]);
  const key = (x: number, y: number, name: string, note: string) =>
    box({ x, y, width: 110, height: 40 }, 'green', name, [note]);
  const frame = (y: number, height: number, name: string) =>
    rectangle({ x: 350, y, width: 390, height }, 'plain') +
    label({ x: 362, y: y + 18 }, name, { classes: 'head' });
  const tie = (from: number, to: number) =>
    arrow({ x: 170, y: from }, { x: 250, y: from }, { x: 270, y: to }, { x: 346, y: to });
  return picture(
    {
      width: 760,
      height: 420,
      title: 'Signals, keys and groups',
      says: 'The account makes K4 with K5 entries and the book; the network makes K1, with the agent K2, with the device K3; the device alone makes D; the wider IPv6 prefixes make P48, P40 and P32.',
    },
    [
      signal(30, 'account', 'id or blind index'),
      signal(132, 'ip', '/32, or /64 of IPv6'),
      signal(196, 'ua', 'family/major'),
      signal(260, 'device', 'id and confidence'),
      frame(20, 76, 'account'),
      key(362, 46, 'K4', 'the account'),
      key(484, 46, 'K5', 'in K4, per device'),
      key(606, 46, 'book', 'known devices'),
      frame(116, 76, 'network'),
      key(362, 142, 'K1', 'ip'),
      key(484, 142, 'K2', 'ip + ua'),
      key(606, 142, 'K3', 'ip + device'),
      frame(212, 76, 'device'),
      key(362, 238, 'D', 'device'),
      frame(308, 76, 'prefixes, one group each'),
      key(362, 334, 'P48', 'IPv6 only'),
      key(484, 334, 'P40', 'wider'),
      key(606, 334, 'P32', 'wider still'),
      tie(53, 58),
      tie(155, 150),
      tie(219, 166),
      tie(275, 182),
      tie(290, 250),
      arrow({ x: 170, y: 163 }, { x: 210, y: 163 }, { x: 210, y: 346 }, { x: 346, y: 346 }),
      arrow({ x: 170, y: 268 }, { x: 230, y: 268 }, { x: 230, y: 82 }, { x: 346, y: 82 }),
      label(
        { x: 20, y: 408 },
        'A grey frame is a group: its records change together or not at all, and lie in one slot of a cluster.',
        {
          classes: 'small faint',
        },
      ),
    ],
  );
}
