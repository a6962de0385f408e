import { visible } from '../visible.ts';

const KEPT = 3;
const SHOWN_CHARACTERS = 160;

/** Lines that nobody understood: how many, and the first few to look at. */
export class UnknownLines {
  count = 0;
  /** Escaped and cut, ready to be shown. */
  readonly first: { readonly line: number; readonly text: string }[] = [];
  #last = 0;

  /** A line counts once, though several entries of it may turn out to be none. Lines come in their order. */
  add(line: number, text: string): void {
    if (line === this.#last) return;
    this.#last = line;
    this.count += 1;
    if (this.first.length < KEPT) this.first.push({ line, text: visible(text, SHOWN_CHARACTERS) });
  }

  /** One sentence for a person; null when all was understood. */
  note(lines: number): string | null {
    if (this.count === 0) return null;
    const [first] = this.first;
    const example = first === undefined ? '' : `; the first: line ${first.line} ${first.text}`;
    const verb = this.count === 1 ? 'was' : 'were';
    return `${this.count} of ${lines} lines ${verb} not understood and not counted${example}`;
  }
}
