import type { ComponentChildren } from 'preact';
import { useRef } from 'preact/hooks';
import { useScrollFocus } from './scroll-focus.ts';

export interface Column<Row> {
  readonly title: string;
  readonly cell: (row: Row) => ComponentChildren;
  /** Numbers stand at the right. */
  readonly isNumber?: boolean;
  /** The column that names the row. */
  readonly isHead?: boolean;
  /** Left out on a phone. */
  readonly isMinor?: boolean;
}

interface DataTableProps<Row> {
  readonly caption: string;
  readonly columns: readonly Column<Row>[];
  readonly rows: readonly Row[];
  readonly keyOf: (row: Row) => string | number;
  /** Shows the caption; it is read out either way. */
  readonly showsCaption?: boolean;
  /** Scrolls inside of itself instead of making the page long. */
  readonly isTall?: boolean;
}

/**
 * A table with a caption and named columns. It scrolls sideways in its own box, which can be reached with the keyboard,
 * so that a narrow screen never scrolls the page.
 */
export function DataTable<Row>(props: DataTableProps<Row>) {
  const { caption, columns, rows, keyOf, showsCaption = false, isTall = false } = props;
  const box = useRef<HTMLDivElement>(null);
  useScrollFocus(box, caption);
  return (
    <div class={`table-box ${isTall ? 'tall' : ''}`} ref={box}>
      <table>
        <caption class={showsCaption ? '' : 'unseen'}>{caption}</caption>
        <thead>
          <tr>
            {columns.map(({ title, isNumber, isMinor }) => (
              <th key={title} scope="col" class={classOf(isNumber, isMinor)}>
                {title}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={keyOf(row)}>
              {columns.map(({ title, cell, isNumber, isHead, isMinor }) =>
                isHead ? (
                  <th key={title} scope="row" class={classOf(isNumber, isMinor)}>
                    {cell(row)}
                  </th>
                ) : (
                  <td key={title} class={classOf(isNumber, isMinor)}>
                    {cell(row)}
                  </td>
                ),
              )}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

const classOf = (isNumber = false, isMinor = false): string =>
  `${isNumber ? 'number' : ''} ${isMinor ? 'minor' : ''}`.trim();
