import { Fault } from '../../core/fault.ts';

/** Why a connection ends, in the numbers of the protocol (SPOE specification §3.5). */
export const spopStatus = {
  normal: 0,
  timeout: 2,
  tooBig: 3,
  invalid: 4,
  noVersion: 5,
  noFrameSize: 6,
  noCapabilities: 7,
  badVersion: 8,
  badFrameSize: 9,
  fragmentation: 10,
  resources: 13,
} as const;

export type SpopStatus = keyof typeof spopStatus;

const words: Readonly<Record<SpopStatus, string>> = {
  normal: 'normal',
  timeout: 'a timeout occurred',
  tooBig: 'frame is too big',
  invalid: 'invalid frame received',
  noVersion: 'version value not found',
  noFrameSize: 'max-frame-size value not found',
  noCapabilities: 'capabilities value not found',
  badVersion: 'unsupported version',
  badFrameSize: 'max-frame-size too big or too small',
  fragmentation: 'payload fragmentation is not supported',
  resources: 'resource allocation error',
};

export const wordsOf = (status: SpopStatus): string => words[status];

/** What a peer did against the protocol. Ends its connection, and nothing else. */
export class SpopViolation extends Fault {
  readonly status: SpopStatus;

  constructor(status: SpopStatus) {
    super('INPUT_INVALID', words[status]);
    this.status = status;
  }
}
