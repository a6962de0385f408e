import { type Act, guess, owner } from './cast.ts';
import { faceless, newcomer, regular } from './scenes.ts';

/** What a guesser has at hand. */
export interface Strategy {
  readonly id: string;
  readonly says: string;
  readonly acts: readonly Act[];
}

const tenAddresses = (device: 'new' | 'none'): Act => {
  const one = guess(`ten addresses in turn, ${device === 'new' ? 'new devices' : 'no device'}`, {
    ip: 1,
    device,
  });
  return { ...one, signals: (turn) => ({ ...one.signals(turn), ip: `203.0.1.${turn % 10}` }) };
};

/** Every strategy may also wait as long as it likes, for decay, for windows and for the end of blocks. */
export const strategies: readonly Strategy[] = [
  { id: 'one-device', says: 'one address and one device', acts: [regular] },
  {
    id: 'one-address',
    says: 'one address, any devices',
    acts: [
      regular,
      guess('one address, no device', { ip: 1, device: 'none' }),
      guess('one address, new device', { ip: 1, device: 'new' }),
    ],
  },
  {
    id: 'ten-addresses',
    says: 'ten addresses, any devices',
    acts: [tenAddresses('new'), tenAddresses('none')],
  },
  {
    id: 'ipv6',
    says: 'all of an IPv6 /48, any devices',
    acts: [
      guess('new /64, new device', { ip: 'new /64', device: 'new' }),
      guess('new /64, no device', { ip: 'new /64', device: 'none' }),
    ],
  },
  { id: 'rotation', says: 'any addresses, a new device each time', acts: [newcomer] },
  { id: 'no-device', says: 'any addresses, never a device', acts: [faceless] },
  { id: 'anything', says: 'any addresses, any devices', acts: [newcomer, faceless] },
  {
    id: 'known-device',
    says: 'any addresses, and a known device of the owner’s',
    acts: [
      newcomer,
      faceless,
      { ...owner('known', 'guess'), name: 'on the owner’s known device', by: 'stranger' },
    ],
  },
];
