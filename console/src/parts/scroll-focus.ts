import type { RefObject } from 'preact';
import { useEffect } from 'preact/hooks';

/**
 * Lets the keyboard into a box while it has something to scroll, and only then: every stop costs a key press, and every
 * named region somebody's patience.
 */
export function useScrollFocus(box: RefObject<HTMLElement | null>, name: string): void {
  useEffect(() => {
    const host = box.current;
    if (host === null) return;
    const update = () => {
      const scrolls = host.scrollWidth > host.clientWidth || host.scrollHeight > host.clientHeight;
      const marks = { tabindex: '0', role: 'region', 'aria-label': name };
      for (const [attribute, value] of Object.entries(marks)) {
        if (scrolls) host.setAttribute(attribute, value);
        else host.removeAttribute(attribute);
      }
    };
    update();
    const watch = new ResizeObserver(update);
    watch.observe(host);
    for (const child of host.children) watch.observe(child);
    return () => watch.disconnect();
  }, [box, name]);
}
