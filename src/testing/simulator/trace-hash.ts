/** A number that two runs share only if they went the same way, as far as anybody can tell. */
export class TraceHash {
  #one = 0x811c9dc5;
  #other = 0x9e3779b9;

  add(text: string): void {
    for (let index = 0; index < text.length; index += 1) {
      const code = text.charCodeAt(index);
      this.#one = Math.imul(this.#one ^ code, 0x01000193);
      this.#other = Math.imul(this.#other ^ code, 0x85ebca6b);
    }
  }

  get text(): string {
    return [this.#one, this.#other].map((half) => (half >>> 0).toString(16).padStart(8, '0')).join('');
  }
}
