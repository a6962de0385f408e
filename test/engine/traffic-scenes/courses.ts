import { accountScenes } from './account-scenes.ts';
import { networkScenes } from './network-scenes.ts';
import { hour, login, minute, type Scene, second, usual } from './scene.ts';

/** Scenes one after another, each with about so many events, over the same records. */
export interface Course {
  readonly name: string;
  readonly phases: readonly [Phase, ...Phase[]];
}

export interface Phase {
  readonly scene: Scene;
  readonly events: number;
}

/** Calls of many devices from one network. */
const calling: Scene = {
  ...usual,
  name: 'calling',
  actions: { 'api.heavy': 1 },
  ops: { check: 1, fail: 20 },
  accounts: 1,
  bareAgents: 0,
  networks: { v4: 1, v4From: 30 },
  owner: 0,
  missing: 0,
  confidences: { MEDIUM: 1 },
  stepsMs: [20, second, 2 * second],
  edges: 0,
  backwards: 0,
};

const knownDevices = { accounts: 1, devices: 8, devicesFrom: 0, confidences: { MEDIUM: 1 } };

/** A device that is blocked everywhere comes to a network that has no room for it. */
const dilutedIntoCrowd: Course = {
  name: 'diluted into a crowd',
  phases: [
    { scene: diluting(0), events: 160 },
    { scene: crowding(20), events: 160 },
    { scene: { ...diluting(0), networks: { v4: 1, v4From: 20 }, stepsMs: [second, 2 * second] }, events: 12 },
  ],
};

function diluting(devicesFrom: number): Scene {
  return {
    ...usual,
    name: 'diluting',
    actions: login,
    ops: { check: 1, fail: 9 },
    accounts: 2,
    devices: 1,
    devicesFrom,
    networks: { v4: 12 },
    owner: 0,
    missing: 0,
    confidences: { MEDIUM: 1 },
    stepsMs: [10 * second, minute],
    edges: 0,
    backwards: 0,
  };
}

function crowding(v4From: number): Scene {
  return {
    ...usual,
    name: 'crowding',
    actions: login,
    ops: { check: 1, fail: 12 },
    accounts: 2,
    devices: 90,
    devicesFrom: 1,
    agents: 80,
    bareAgents: 0.01,
    networks: { v4: 1, v4From },
    owner: 0,
    missing: 0,
    stepsMs: [20, second, 3 * second],
    edges: 0,
    backwards: 0,
  };
}

const rotating: Scene = {
  ...usual,
  name: 'rotating',
  actions: login,
  ops: { fail: 9, check: 1 },
  accounts: 1,
  devices: 14,
  missing: 0,
  owner: 0,
  networks: { v4: 9 },
  stepsMs: [40 * second, 100 * second],
  edges: 0.02,
  backwards: 0.005,
};

/** Devices rotate on one account, again and again, with so much time between that the account is not blocked. */
const repeatedRotation: Course = {
  name: 'repeated rotation',
  phases: [
    { scene: rotating, events: 8 },
    { scene: { ...rotating, ops: { check: 1 }, stepsMs: [5 * hour] }, events: 2 },
  ],
};

/** The devices of one account, all of them in its book. */
const atHome: Scene = {
  ...rotating,
  name: 'at home',
  ops: { succeed: 1 },
  devices: 17,
  confidences: { HIGH: 2, MEDIUM: 1 },
  networks: { v4: 20 },
  stepsMs: [0, 0, second],
  edges: 0,
};

/** Known devices fail for the first time, more of them than the account has room for. */
const devicesAnew: Course = {
  name: 'devices anew',
  phases: [
    { scene: atHome, events: 40 },
    { scene: { ...atHome, ops: { fail: 1 }, stepsMs: [0, 40 * second, minute] }, events: 60 },
    { scene: { ...rotating, devices: 6, devicesFrom: 40, stepsMs: [minute, 20 * minute] }, events: 12 },
    { scene: { ...atHome, ops: { fail: 3, succeed: 1 }, stepsMs: [0, 3 * minute] }, events: 30 },
    { scene: { ...rotating, ops: { check: 1 }, stepsMs: [90 * hour] }, events: 2 },
  ],
};

/** Devices that the account knows and others come to a network until it is full; then one more tries. */
const roomForOneMore: Course = {
  name: 'room for one more',
  phases: [
    { scene: { ...crowding(30), actions: login, ops: { succeed: 1 }, ...knownDevices }, events: 16 },
    { scene: { ...calling, devices: 56, agents: 9, costs: [1] }, events: 130 },
    { scene: { ...calling, devices: 3, devicesFrom: 80, agents: 9, costs: [60, 100, 119] }, events: 24 },
    { scene: { ...calling, devices: 12, devicesFrom: 90, stepsMs: [minute, 4 * minute] }, events: 40 },
  ],
};

/** Agents come to a network until it is full; a quarter of an hour later there is room again, one by one. */
const agentsOverTheCap: Course = {
  name: 'agents over the cap',
  phases: [
    { scene: { ...calling, agents: 70, costs: [1], stepsMs: [8 * second] }, events: 150 },
    { scene: { ...calling, agents: 90, costs: [1, 20, 50], stepsMs: [4 * second, 8 * second] }, events: 450 },
  ],
};

/** Every kind of traffic there is. */
export const courses: readonly [Course, ...Course[]] = [
  alone(usual),
  ...accountScenes.map(alone),
  ...networkScenes.map(alone),
  repeatedRotation,
  devicesAnew,
  dilutedIntoCrowd,
  roomForOneMore,
  agentsOverTheCap,
];

function alone(scene: Scene): Course {
  return { name: scene.name, phases: [{ scene, events: Number.POSITIVE_INFINITY }] };
}
