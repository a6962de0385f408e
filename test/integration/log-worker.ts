import { once } from 'node:events';
import { createLog } from '../../src/telemetry/log.ts';

/** Writes so many lines of a kilobyte at once, says that it is still there, and ends with a last line when it is told to. */
const [lines = '0'] = process.argv.slice(2);
const log = createLog({ linesPerSecond: Number.POSITIVE_INFINITY });
const why = 'x'.repeat(100);
for (let count = 0; count < Number(lines); count += 1) {
  log.info({ count, problems: Array.from({ length: 10 }, () => why) }, 'many');
}
process.send?.('written');
await once(process, 'message');
log.fatal({}, 'last');
process.disconnect?.();
