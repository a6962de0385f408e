import { Readable, Writable } from 'node:stream';
import { serve } from '../../src/cli/serve/serve.ts';

/**
 * `portcullis serve --config FILE` in a process of its own. What it says is sent to the process that started it, line by
 * line.
 */
class Lines extends Writable {
  override _write(chunk: Buffer, _: BufferEncoding, done: () => void): void {
    for (const line of chunk.toString('utf8').split('\n')) if (line !== '') process.send?.(line);
    done();
  }
}

const [config = ''] = process.argv.slice(2);
const out = new Lines();
await serve({ config }, { stdin: Readable.from([]), stdout: out, stderr: out, isTerminal: false });
process.disconnect?.();
