/** One line of a panel. A value that is no number leaves a gap. */
export interface Line {
  readonly name: string;
  readonly colour: string;
  readonly values: readonly number[];
  readonly isDashed?: boolean;
}

/** One set of axes. All panels of a plot have the same horizontal axis. */
export interface Panel {
  /** What is shown, unit last. */
  readonly title: string;
  readonly top: number;
  readonly lines: readonly Line[];
}

export interface Plot {
  readonly title: string;
  /** Of the horizontal axis: its label, where it ends, and where it is marked. */
  readonly across: { readonly label: string; readonly end: number; readonly marks: readonly number[] };
  readonly panels: readonly Panel[];
}

const WIDTH = 760;
const LEFT = 52;
const RIGHT = 12;
const HEAD = 46;
const PANEL = 130;
const GAP = 34;
const FOOT = 56;
const grey = '#57606a';

/** Draws a plot. The same plot gives the same text: nothing in it depends on the machine or the time. */
export function toSvg(plot: Plot): string {
  const height = HEAD + plot.panels.length * (PANEL + GAP) + FOOT - GAP;
  const bottom = height - FOOT;
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" font-family="system-ui, sans-serif" font-size="11">`,
    `<title>${plot.title}</title>`,
    `<rect width="${WIDTH}" height="${height}" fill="#ffffff"/>`,
    text(LEFT, 16, plot.title, 'font-weight="bold" font-size="12" fill="#1f2328"'),
    ...plot.panels.flatMap((panel, index) => drawPanel(panel, HEAD + index * (PANEL + GAP))),
    ...plot.across.marks.map((mark) =>
      text(toX(mark / plot.across.end), bottom + 14, String(mark), `text-anchor="middle" fill="${grey}"`),
    ),
    text(WIDTH - RIGHT, bottom + 28, plot.across.label, `text-anchor="end" fill="${grey}"`),
    ...drawLegend(plot.panels, height - 14),
    '</svg>',
    '',
  ].join('\n');
}

function drawPanel(panel: Panel, y: number): string[] {
  const toY = (value: number) => y + PANEL * (1 - Math.min(1, Math.max(0, value / panel.top)));
  const rules = [0, 0.5, 1].map((share) => share * panel.top);
  return [
    text(LEFT, y - 6, panel.title, `fill="${grey}"`),
    ...rules.flatMap((value) => [
      `<path d="M${LEFT} ${round(toY(value))}H${WIDTH - RIGHT}" stroke="#d0d7de" fill="none"/>`,
      text(LEFT - 6, toY(value) + 4, String(value), `text-anchor="end" fill="${grey}"`),
    ]),
    ...panel.lines.map((line) => drawLine(line, toY)),
  ];
}

function drawLine(line: Line, toY: (value: number) => number): string {
  let isDown = false;
  const points = line.values.map((value, index) => {
    if (Number.isNaN(value)) {
      isDown = false;
      return '';
    }
    const command = isDown ? 'L' : 'M';
    isDown = true;
    return `${command}${round(toX((index + 0.5) / line.values.length))} ${round(toY(value))}`;
  });
  const dashes = line.isDashed ? ' stroke-dasharray="4 3"' : '';
  return `<path d="${points.join('')}" stroke="${line.colour}" stroke-width="1.5"${dashes} fill="none"/>`;
}

/** Each name once, in the order of its first line. */
function drawLegend(panels: readonly Panel[], y: number): string[] {
  const lines = new Map(panels.flatMap((panel) => panel.lines).map((line) => [line.name, line]));
  let x = LEFT;
  return [...lines.values()].flatMap(({ name, colour, isDashed }) => {
    const from = x;
    x += 40 + 6.5 * name.length;
    const dashes = isDashed ? ' stroke-dasharray="4 3"' : '';
    return [
      `<path d="M${from} ${y - 4}h18" stroke="${colour}" stroke-width="2"${dashes}/>`,
      text(from + 24, y, name, 'fill="#1f2328"'),
    ];
  });
}

function text(x: number, y: number, content: string, attributes: string): string {
  return `<text x="${round(x)}" y="${round(y)}" ${attributes}>${content}</text>`;
}

function toX(share: number): number {
  return LEFT + share * (WIDTH - LEFT - RIGHT);
}

function round(value: number): string {
  return String(Number(value.toFixed(1)));
}
