import type { RefObject } from 'preact';
import { useEffect } from 'preact/hooks';

/** Lets the keyboard into a box while it has something to scroll, and only then: every stop costs a key press. */
export function useScrollFocus(box: RefObject<HTMLElement | null>): void {
  useEffect(() => {
    const host = box.current;
    if (host === null) return;
    const update = () => {
      const scrolls = host.scrollWidth > host.clientWidth || host.scrollHeight > host.clientHeight;
      if (scrolls) host.tabIndex = 0;
      else host.removeAttribute('tabindex');
    };
    update();
    const watch = new ResizeObserver(update);
    watch.observe(host);
    for (const child of host.children) watch.observe(child);
    return () => watch.disconnect();
  }, [box]);
}
