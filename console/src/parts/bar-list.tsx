import type { ComponentChildren } from 'preact';
import { count } from '../format/number.ts';

interface BarListProps {
  readonly caption: string;
  readonly rows: readonly (readonly [string, number])[];
  readonly name: (row: string) => ComponentChildren;
}

/** Names by how often they occurred, as a table whose bars are only decoration. */
export function BarList({ caption, rows, name }: BarListProps) {
  const most = Math.max(1, ...rows.map(([, value]) => value));
  return (
    <table class="bars">
      <caption class="unseen">{caption}</caption>
      <thead class="unseen">
        <tr>
          <th scope="col">Name</th>
          <th scope="col">Count</th>
        </tr>
      </thead>
      <tbody>
        {rows.map(([key, value]) => (
          <tr key={key}>
            <th scope="row">
              <span class="bar-name">{name(key)}</span>
              <span
                class="bar"
                aria-hidden="true"
                style={{ width: `${Math.max(1, (100 * value) / most)}%` }}
              />
            </th>
            <td class="number">{count(value)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
