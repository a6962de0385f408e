import type { Readable } from 'node:stream';

/**
 * Whether the caller's stream has failed or is late, as that of a visitor who hangs up in the middle of an upload or sends
 * slowly: that says nothing of the target. Its error has the code of a broken connection too, and undici hands the target's
 * errors to the stream, so what counts is which of them was told first.
 */
export class Upload {
  hasFailed: boolean;
  private readonly stream: Readable;

  constructor(stream: Readable) {
    this.stream = stream;
    this.hasFailed = stream.destroyed;
    // The listeners stay: a stream is sent once, and an error that nobody hears would end the process.
    stream.on('error', () => {
      this.hasFailed = true;
    });
    stream.on('close', () => {
      this.hasFailed ||= !stream.readableEnded;
    });
  }

  /** Whether more of it is awaited. It flows only while a connection takes what there is: else undici pauses it. */
  get isAwaited(): boolean {
    return this.stream.readableFlowing === true && !this.stream.readableEnded;
  }

  /** Of a request that has been sent, undici does so. */
  letGo(): void {
    this.stream.destroy();
  }
}
