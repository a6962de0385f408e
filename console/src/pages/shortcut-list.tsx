import { Dialog } from '../parts/dialog.tsx';
import { pages } from '../state/route.ts';

/** What keys do. */
export function ShortcutList({ onClose }: { readonly onClose: () => void }) {
  return (
    <Dialog title="Keyboard shortcuts" onClose={onClose}>
      <div class="dialog-body">
        <dl class="facts">
          {pages.map(({ path, title, key }) => (
            <>
              <dt key={`${path}-keys`}>
                <kbd>g</kbd> then <kbd>{key}</kbd>
              </dt>
              <dd key={path}>{title}</dd>
            </>
          ))}
          <dt>
            <kbd>/</kbd>
          </dt>
          <dd>Look up a subject</dd>
          <dt>
            <kbd>p</kbd>
          </dt>
          <dd>Pause the list of decisions</dd>
          <dt>
            <kbd>t</kbd>
          </dt>
          <dd>Theme: as the system, dark, light</dd>
          <dt>
            <kbd>?</kbd>
          </dt>
          <dd>This list</dd>
          <dt>
            <kbd>Esc</kbd>
          </dt>
          <dd>Close a dialog</dd>
        </dl>
      </div>
    </Dialog>
  );
}
