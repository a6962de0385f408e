import { useEffect, useState } from 'preact/hooks';

/** One value that views follow. */
export interface Cell<T> {
  get(): T;
  set(value: T): void;
  on(listener: () => void): () => void;
}

export function createCell<T>(initial: T): Cell<T> {
  let value = initial;
  const listeners = new Set<() => void>();
  return {
    get: () => value,
    set(next) {
      if (Object.is(next, value)) return;
      value = next;
      for (const listener of listeners) listener();
    },
    on(listener) {
      listeners.add(listener);
      return () => {
        listeners.delete(listener);
      };
    },
  };
}

/** A part of a cell; the view is drawn again only when that part is another one. */
export function useCell<T, P = T>(cell: Cell<T>, part: (value: T) => P = asIs): P {
  const [value, setValue] = useState<P>(() => part(cell.get()));
  useEffect(() => {
    const update = () => setValue(() => part(cell.get()));
    update();
    return cell.on(update);
  }, [cell, part]);
  return value;
}

function asIs<T, P>(value: T): P {
  return value as T & P;
}
