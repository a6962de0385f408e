import type { ComponentChildren } from 'preact';
import { useId } from 'preact/hooks';

interface PanelProps {
  readonly title: string;
  /** What stands at the right of the title. */
  readonly aside?: ComponentChildren;
  readonly class?: string;
  readonly children: ComponentChildren;
}

/** A titled part of a page. */
export function Panel({ title, aside, class: extra = '', children }: PanelProps) {
  const id = useId();
  return (
    <section class={`panel ${extra}`} aria-labelledby={id}>
      <div class="panel-head">
        <h2 id={id}>{title}</h2>
        {aside ? <div class="panel-aside">{aside}</div> : null}
      </div>
      {children}
    </section>
  );
}

/** What a page says when there is nothing to show, and why that may be. */
export function Empty({ children }: { readonly children: ComponentChildren }) {
  return <p class="empty">{children}</p>;
}

interface ProblemProps {
  readonly text: string | null;
  /** For the field that it is about. */
  readonly id?: string;
}

/** Something went wrong; read out at once. */
export function Problem({ text, id }: ProblemProps) {
  return text === null ? null : (
    <p class="problem" role="alert" id={id}>
      {text}
    </p>
  );
}
