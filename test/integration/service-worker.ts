import { Readable, Writable } from 'node:stream';
import { serve } from '../../src/cli/serve/serve.ts';
import type { ServeFlags } from '../../src/cli/serve/with-flags.ts';

/**
 * `portcullis serve` in a process of its own, with flags as JSON. What it says is sent to the process that started it, line
 * by line.
 */
class Lines extends Writable {
  override _write(chunk: Buffer, _: BufferEncoding, done: () => void): void {
    for (const line of chunk.toString('utf8').split('\n')) if (line !== '') process.send?.(line);
    done();
  }
}

const [flags = '{}'] = process.argv.slice(2);
const out = new Lines();
await serve(JSON.parse(flags) as ServeFlags, {
  stdin: Readable.from([]),
  stdout: out,
  stderr: out,
  isTerminal: false,
});
process.disconnect?.();
