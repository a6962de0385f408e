import type { RefObject } from 'preact';
import { useLayoutEffect, useRef } from 'preact/hooks';

interface RowFocus {
  /** Around the table; can take the focus where no row is left. */
  readonly box: RefObject<HTMLDivElement | null>;
  /** Called before a row is acted on. */
  readonly actsOn: (id: string) => void;
}

/**
 * Keeps the place of the keyboard in a table. A row that was acted on goes with its button, and the focus with that: it moves to
 * the row that has come in its place.
 *
 * @param ids of the rows, in their order
 * @param isAsking whether a dialog has the focus
 */
export function useRowFocus(ids: readonly string[], isAsking: boolean): RowFocus {
  const box = useRef<HTMLDivElement>(null);
  const acted = useRef<{ readonly id: string; readonly index: number } | null>(null);
  useLayoutEffect(() => {
    if (acted.current === null || isAsking || ids.includes(acted.current.id)) return;
    const { index } = acted.current;
    acted.current = null;
    if (document.activeElement !== document.body) return;
    const buttons = box.current?.querySelectorAll<HTMLElement>('tbody button') ?? [];
    (buttons[Math.min(index, buttons.length - 1)] ?? box.current)?.focus();
  });
  const actsOn = (id: string) => {
    acted.current = { id, index: ids.indexOf(id) };
  };
  return { box, actsOn };
}
