// The result of a mutation run as lines of text.

/** A mutant as one line: where it is, what stood there, what was put in its place. */
export function toLine({ path, line, column, original, mutated }) {
  return `${path}:${line}:${column}  ${original}  →  ${mutated}`;
}

/** killed / all, in percent; a file without mutants has nothing left to prove. */
export function scoreOf(mutants) {
  if (mutants.length === 0) return 100;
  return (100 * mutants.filter((mutant) => mutant.state !== 'survived').length) / mutants.length;
}

/** The table of files, the survivors and the total. A mutant has `state`: `killed`, `timeout` or `survived`. */
export function toReport(mutants) {
  const files = [...new Set(mutants.map((mutant) => mutant.path))].sort();
  const rows = [
    ['file', 'mutants', 'killed', 'survived', 'score'],
    ...files.map((path) =>
      row(
        path,
        mutants.filter((mutant) => mutant.path === path),
      ),
    ),
    row('all', mutants),
  ];
  const survivors = mutants.filter((mutant) => mutant.state === 'survived');
  return [
    ...survivors.map(
      (mutant) => `survived  ${toLine(mutant)}${mutant.covered ? '' : '  (no test comes by)'}`,
    ),
    ...(survivors.length > 0 ? [''] : []),
    ...aligned(rows),
  ];
}

function row(name, mutants) {
  const survived = mutants.filter((mutant) => mutant.state === 'survived').length;
  const score = `${scoreOf(mutants).toFixed(1)} %`;
  return [name, String(mutants.length), String(mutants.length - survived), String(survived), score];
}

function aligned(rows) {
  const widths = rows[0].map((_, column) => Math.max(...rows.map((cells) => cells[column].length)));
  return rows.map((cells) =>
    cells
      .map((cell, column) => (column === 0 ? cell.padEnd(widths[0]) : cell.padStart(widths[column])))
      .join('  '),
  );
}
