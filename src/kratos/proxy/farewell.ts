import type { ServerResponse } from 'node:http';
import { onceClosed } from '../../connections/response-close.ts';

/**
 * The end of a server whose clients keep their connections: from then on every answer is the last one of its connection, so
 * that clients go elsewhere by themselves and none is cut off in the middle of its next request.
 */
export class Farewell {
  readonly #open = new Set<ServerResponse>();
  #hasBegun = false;

  follow(response: ServerResponse): void {
    if (this.#hasBegun) {
      response.shouldKeepAlive = false;
      return;
    }
    this.#open.add(response);
    onceClosed(response, () => this.#open.delete(response));
  }

  begin(): void {
    this.#hasBegun = true;
    for (const response of this.#open) response.shouldKeepAlive = false;
    this.#open.clear();
  }
}
