/** What a picture is made of: small pieces of SVG in the classes of {@link picture}, which has a light and a dark dress. */

export interface Place {
  readonly x: number;
  readonly y: number;
}

export interface Area extends Place {
  readonly width: number;
  readonly height: number;
}

/** The colours of a piece: plain, or what it stands for. */
export type Tone = 'plain' | 'blue' | 'green' | 'amber' | 'red';

const tones = {
  light: {
    back: '#fff',
    ink: '#1f2328',
    faint: '#59636e',
    plain: ['#f6f8fa', '#afb8c1'],
    blue: ['#ddf4ff', '#0969da'],
    green: ['#dafbe1', '#1a7f37'],
    amber: ['#fff1c2', '#9a6700'],
    red: ['#ffdcd7', '#cf222e'],
  },
  dark: {
    back: '#0d1117',
    ink: '#e6edf3',
    faint: '#9198a1',
    plain: ['#161b22', '#484f58'],
    blue: ['#0c2d53', '#4493f8'],
    green: ['#0f2e19', '#3fb950'],
    amber: ['#3a2a06', '#d29922'],
    red: ['#46161a', '#f85149'],
  },
} as const;

function dress(theme: keyof typeof tones): string {
  const { back, ink, faint, ...fills } = tones[theme];
  const rules = Object.entries(fills).flatMap(([name, [fill, stroke]]) => [
    `.${name}{fill:${fill};stroke:${stroke}}`,
    `.on-${name}{stroke:${stroke}}`,
    `.of-${name}{fill:${stroke}}`,
  ]);
  return `.back{fill:${back}}text{fill:${ink}}.faint{fill:${faint}}.line{stroke:${faint}}.tip{fill:${faint}}${rules.join('')}`;
}

const style = `text{font:13px system-ui,sans-serif}.head{font-weight:600}.small{font-size:11px}.code{font-family:ui-monospace,monospace;font-size:11.5px}.thin{stroke-width:1}.line,.curve{fill:none}.curve{stroke-width:2}${dress('light')}@media(prefers-color-scheme:dark){${dress('dark')}}`;

/** A whole picture. `title` and `says` are read to those who do not see it. */
export function picture(
  { width, height, title, says }: { width: number; height: number; title: string; says: string },
  pieces: readonly string[],
): string {
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" role="img" aria-labelledby="t d">
<title id="t">${escaped(title)}</title>
<desc id="d">${escaped(says)}</desc>
<style>${style}</style>
<defs><marker id="tip" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" orient="auto-start-reverse"><path class="tip" d="M0 0 8 4 0 8z"/></marker></defs>
<rect class="back" width="${width}" height="${height}"/>
${pieces.join('\n')}
</svg>
`;
}

export function label(
  { x, y }: Place,
  words: string,
  look: { classes?: string; anchor?: 'start' | 'middle' | 'end' } = {},
): string {
  const { classes, anchor = 'start' } = look;
  const named = classes === undefined ? '' : ` class="${classes}"`;
  const held = anchor === 'start' ? '' : ` text-anchor="${anchor}"`;
  return `<text${named} x="${short(x)}" y="${short(y)}"${held}>${escaped(words)}</text>`;
}

export function rectangle({ x, y, width, height }: Area, tone: Tone, round = 5): string {
  return `<rect class="${tone}" x="${short(x)}" y="${short(y)}" width="${short(width)}" height="${short(height)}" rx="${round}"/>`;
}

/** A box with a name, and lines below it in small type. */
export function box(area: Area, tone: Tone, name: string, lines: readonly string[] = []): string {
  const middle = area.x + area.width / 2;
  const top = area.y + area.height / 2 + 4.5 - lines.length * 7.5;
  return [
    rectangle(area, tone),
    label({ x: middle, y: top }, name, { classes: 'head', anchor: 'middle' }),
    ...lines.map((line, index) =>
      label({ x: middle, y: top + 16 + index * 14 }, line, { classes: 'small faint', anchor: 'middle' }),
    ),
  ].join('');
}

/** Goes from one point to the next, with a tip at the end. */
export function arrow(...points: readonly Place[]): string {
  return `<path class="line" d="${trail(points)}" marker-end="url(#tip)"/>`;
}

export function line(from: Place, to: Place, classes = 'line thin'): string {
  return `<path class="${classes}" d="${trail([from, to])}"/>`;
}

export function curve(points: readonly Place[], tone: Tone): string {
  return `<path class="curve on-${tone}" d="${trail(points)}"/>`;
}

export function dot({ x, y }: Place, tone: Tone, radius = 3.5): string {
  return `<circle class="of-${tone}" cx="${short(x)}" cy="${short(y)}" r="${radius}"/>`;
}

const trail = (points: readonly Place[]): string =>
  points.map(({ x, y }, index) => `${index === 0 ? 'M' : 'L'}${short(x)} ${short(y)}`).join('');

/** Two decimals are more than anybody sees. */
const short = (value: number): string => String(Math.round(value * 100) / 100);

const escaped = (words: string): string =>
  words.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;');

/** 15 s, 5 min, 6 h, 90 d. */
export function span(ms: number): string {
  const units = [
    ['d', 86_400_000],
    ['h', 3_600_000],
    ['min', 60_000],
    ['s', 1_000],
  ] as const;
  const [name, size] = units.find(([, unit]) => ms % unit === 0 && (unit < 86_400_000 || ms > unit)) ?? [
    'ms',
    1,
  ];
  return `${ms / size} ${name}`;
}
