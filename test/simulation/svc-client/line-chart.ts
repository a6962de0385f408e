/** One line of a chart. */
export interface Series {
  readonly name: string;
  readonly colour: string;
  readonly dashed?: boolean;
  /** One per unit of x, drawn in the middle of it. */
  readonly values: readonly number[];
}

export interface LineChart {
  readonly title: string;
  /** What the chart shows, for those who cannot see it. */
  readonly description: string;
  readonly xLabel: string;
  readonly yLabel: string;
  readonly yTicks: readonly number[];
  /** Logarithmic, for factors. Default linear. */
  readonly logarithmic?: boolean;
  /** A stretch of x to be shaded, with its name. */
  readonly span: { readonly from: number; readonly to: number; readonly name: string };
  readonly series: readonly Series[];
}

const size = { width: 760, height: 320, left: 64, right: 20, top: 44, bottom: 84 };
const plot = {
  width: size.width - size.left - size.right,
  height: size.height - size.top - size.bottom,
};

/** Two decimals at most, so that the same data always gives the same bytes. */
function round(value: number): string {
  return String(Number(value.toFixed(2)));
}

function escapeText(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}

interface Scale {
  x(value: number): number;
  y(value: number): number;
}

function scaleOf({ series, yTicks, logarithmic = false }: LineChart): Scale {
  const points = Math.max(...series.map(({ values }) => values.length));
  const place = logarithmic
    ? (value: number) => Math.log2(Math.max(value, yTicks[0] ?? 1))
    : (value: number) => value;
  const [low, high] = [place(yTicks[0] ?? 0), place(yTicks.at(-1) ?? 1)];
  return {
    x: (value) => size.left + (value / points) * plot.width,
    y: (value) => size.top + plot.height - ((place(value) - low) / (high - low)) * plot.height,
  };
}

function gridOf(chart: LineChart, { y }: Scale): string[] {
  return chart.yTicks.map((tick) => {
    const at = round(y(tick));
    const line = `<line class="grid" x1="${size.left}" x2="${size.width - size.right}" y1="${at}" y2="${at}"/>`;
    const label = chart.logarithmic ? `${tick}×` : String(tick);
    return `${line}<text x="${size.left - 8}" y="${at}" dy="4" text-anchor="end">${label}</text>`;
  });
}

function xTicksOf({ series }: LineChart, { x }: Scale): string[] {
  const points = Math.max(...series.map(({ values }) => values.length));
  const step = points > 30 ? 10 : 5;
  const ticks = Array.from({ length: Math.floor(points / step) + 1 }, (_, index) => index * step);
  const at = size.top + plot.height + 18;
  return ticks.map((tick) => `<text x="${round(x(tick))}" y="${at}" text-anchor="middle">${tick}</text>`);
}

function spanOf({ span }: LineChart, { x }: Scale): string {
  const [from, to] = [x(span.from), x(span.to)];
  const box = `<rect class="span" x="${round(from)}" y="${size.top}" width="${round(to - from)}" height="${plot.height}"/>`;
  return `${box}<text x="${round(from + 6)}" y="${size.top + plot.height / 2 + 14}">${escapeText(span.name)}</text>`;
}

function lineOf({ values, colour, dashed = false }: Series, { x, y }: Scale): string {
  const points = values.map((value, index) => `${round(x(index + 0.5))},${round(y(value))}`).join(' ');
  const dash = dashed ? ' stroke-dasharray="6 4"' : '';
  return `<polyline fill="none" stroke="${colour}" stroke-width="2.5"${dash} points="${points}"/>`;
}

function legendOf({ series }: LineChart): string[] {
  const column = plot.width / series.length;
  return series.map(({ name, colour, dashed = false }, index) => {
    const [at, y] = [size.left + index * column, size.height - 18];
    const dash = dashed ? ' stroke-dasharray="6 4"' : '';
    const [from, to] = [round(at), round(at + 24)];
    const line = `<line x1="${from}" x2="${to}" y1="${y - 4}" y2="${y - 4}" stroke="${colour}" stroke-width="2.5"${dash}/>`;
    return `${line}<text x="${round(at + 30)}" y="${y}">${escapeText(name)}</text>`;
  });
}

/** Draws the chart. The same chart always gives the same bytes. */
export function drawLineChart(chart: LineChart): string {
  const scale = scaleOf(chart);
  const middle = size.top + plot.height / 2;
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${size.width} ${size.height}" role="img" aria-labelledby="t d">`,
    `<title id="t">${escapeText(chart.title)}</title>`,
    `<desc id="d">${escapeText(chart.description)}</desc>`,
    '<style>text{font:12px system-ui,sans-serif;fill:#24292f}.head{font-size:15px;font-weight:600}.grid{stroke:#d0d7de}.span{fill:#fff1d6}</style>',
    `<rect width="${size.width}" height="${size.height}" fill="#fff"/>`,
    `<text class="head" x="${size.left}" y="24">${escapeText(chart.title)}</text>`,
    spanOf(chart, scale),
    ...gridOf(chart, scale),
    ...xTicksOf(chart, scale),
    ...chart.series.map((series) => lineOf(series, scale)),
    `<text x="${size.left + plot.width / 2}" y="${size.top + plot.height + 38}" text-anchor="middle">${escapeText(chart.xLabel)}</text>`,
    `<text transform="translate(16 ${middle}) rotate(-90)" text-anchor="middle">${escapeText(chart.yLabel)}</text>`,
    ...legendOf(chart),
    '</svg>',
    '',
  ].join('\n');
}
