import { type ComponentChildren, Fragment } from 'preact';
import { useRef } from 'preact/hooks';
import { useCell } from '../state/cell.ts';
import { useMayOperate } from '../state/operating.ts';
import { isPhone } from '../state/width.ts';
import { useScrollFocus } from './scroll-focus.ts';

export interface Column<Row> {
  readonly title: string;
  readonly cell: (row: Row) => ComponentChildren;
  /** Numbers stand at the right. */
  readonly isNumber?: boolean;
  /** The column that names the row. */
  readonly isHead?: boolean;
  /** On a phone it stands below the row; where it is an empty text, not at all. */
  readonly isMinor?: boolean;
  /** What only operators may do with a row: not there for who may only look. */
  readonly isAct?: boolean;
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
  const { caption, rows, keyOf, showsCaption = false, isTall = false } = props;
  const mayOperate = useMayOperate();
  const columns = props.columns.filter(({ isAct }) => mayOperate || !isAct);
  const box = useRef<HTMLDivElement>(null);
  useScrollFocus(box, caption);
  const minor = useCell(isPhone) ? columns.filter(({ isMinor }) => isMinor) : [];
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
          {rows.map((row) => {
            const below = minor.filter(({ cell }) => cell(row) !== '');
            return (
              <Fragment key={keyOf(row)}>
                <tr class={below.length > 0 ? 'goes-on' : ''}>
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
                {below.length > 0 ? (
                  <MinorFields row={row} columns={below} span={columns.length - minor.length} />
                ) : null}
              </Fragment>
            );
          })}
        </tbody>
      </table>
    </div>
  );
}

interface MinorFieldsProps<Row> {
  readonly row: Row;
  readonly columns: readonly Column<Row>[];
  /** How many columns are left to stand below. */
  readonly span: number;
}

/** What a phone has no columns for: a row is not told from its neighbour, or understood, without it. */
function MinorFields<Row>({ row, columns, span }: MinorFieldsProps<Row>) {
  return (
    <tr class="minor-fields">
      <td colSpan={span}>
        <dl>
          {columns.map(({ title, cell }) => (
            <div key={title}>
              <dt>{title}</dt>
              <dd>{cell(row)}</dd>
            </div>
          ))}
        </dl>
      </td>
    </tr>
  );
}

const classOf = (isNumber = false, isMinor = false): string =>
  `${isNumber ? 'number' : ''} ${isMinor ? 'minor' : ''}`.trim();
