import { PayloadReader } from './payload-reader.ts';
import { PayloadWriter } from './payload-writer.ts';
import { SpopViolation } from './spop-status.ts';
import { count, numberOf, text, textOf } from './typed-data.ts';

/** What both sides have agreed on. */
export interface Agreement {
  readonly frameBytes: number;
  /** HAProxy only wants to know whether we are here. */
  readonly isHealthCheck: boolean;
}

/** Larger frames are refused; HAProxy's own bound is its buffer, 16 KiB by default. */
export const mostFrameBytes = 64 * 1024;
const leastFrameBytes = 256;
const version = '2.0';

/**
 * Reads HAPROXY-HELLO.
 *
 * @throws SpopViolation that says what is missing or not supported.
 */
export function readHello(payload: Uint8Array): Agreement {
  const hello = new PayloadReader(payload).keyValues();
  const versions = textOf(hello.get('supported-versions'));
  const frameBytes = numberOf(hello.get('max-frame-size'));
  if (versions === undefined) throw new SpopViolation('noVersion');
  if (frameBytes === undefined) throw new SpopViolation('noFrameSize');
  if (textOf(hello.get('capabilities')) === undefined) throw new SpopViolation('noCapabilities');
  if (!versions.split(',').some((offered) => /^\s*2\.\d+\s*$/.test(offered))) {
    throw new SpopViolation('badVersion');
  }
  if (frameBytes < leastFrameBytes) throw new SpopViolation('badFrameSize');
  const healthCheck = hello.get('healthcheck');
  return {
    frameBytes: Math.min(frameBytes, mostFrameBytes),
    isHealthCheck: healthCheck?.type === 'bool' && healthCheck.value,
  };
}

/** The payload of AGENT-HELLO. Without the capability `fragmentation` HAProxy sends no fragments. */
export function agentHello({ frameBytes }: Agreement): Buffer {
  return new PayloadWriter()
    .keyValues(
      new Map([
        ['version', text(version)],
        ['max-frame-size', count(frameBytes)],
        ['capabilities', text('pipelining')],
      ]),
    )
    .finish();
}
