import { defaultLogin } from '../../../src/index.ts';
import { curve, dot, label, line, picture, rectangle, span, type Tone } from './drawing.ts';
import { type Moment, playFailures } from './runs.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

/** The six levels: how long a block takes, and how long it is remembered. */
export function ladderPicture(): string {
  const { durationsMs, memoryMs } = defaultLogin.ladder;
  const longest = Math.log(24 * HOUR_MS);
  const shortest = Math.log(5_000);
  const wide = (ms: number) => (470 * (Math.log(ms) - shortest)) / (longest - shortest);
  const rows = durationsMs.flatMap((durationMs, index) => {
    const y = 58 + index * 46;
    const rememberedMs = memoryMs[index] ?? 0;
    return [
      label({ x: 20, y: y + 20 }, `level ${index + 1}`, { classes: 'head' }),
      rectangle({ x: 90, y, width: wide(durationMs), height: 16 }, 'red', 3),
      label({ x: 98 + wide(durationMs), y: y + 13 }, `blocked ${span(durationMs)}`, { classes: 'small' }),
      rectangle({ x: 90, y: y + 18, width: wide(rememberedMs), height: 12 }, 'amber', 3),
      label({ x: 98 + wide(rememberedMs), y: y + 28 }, `then remembered ${span(rememberedMs)}`, {
        classes: 'small faint',
      }),
    ];
  });
  return picture(
    {
      width: 760,
      height: 350,
      title: 'The ladder',
      says: durationsMs.map((ms, index) => `Level ${index + 1}: ${span(ms)}.`).join(' '),
    },
    [
      label(
        { x: 20, y: 26 },
        'Blocked again while it is remembered: one level up. Left alone: one level down at a time.',
      ),
      label({ x: 20, y: 44 }, 'The scale is logarithmic.', { classes: 'small faint' }),
      ...rows,
    ],
  );
}

/** Guesses from one new device, one a minute or as soon as a block ends. */
export async function guessingPicture(): Promise<string> {
  const lastMs = 45 * MINUTE_MS;
  const moments = await playFailures(lastMs, ({ at, decision }) =>
    decision.outcome === 'HARD_BLOCK' ? at + decision.retryAfterMs : at + MINUTE_MS,
  );
  const last = moments.at(-1);
  const { softFrom, hardFrom, severeFrom } = defaultLogin.score;
  const x = (ms: number) => 60 + (650 * ms) / lastMs;
  const y = (score: number) => 290 - score * 14;
  const threshold = (score: number, name: string, tone: Tone) =>
    line({ x: 60, y: y(score) }, { x: 710, y: y(score) }, `line thin on-${tone}`) +
    label({ x: 706, y: y(score) - 4 }, `${score}: ${name}`, { classes: 'small', anchor: 'end' });
  return picture(
    {
      width: 760,
      height: 340,
      title: 'Guessing as fast as the blocks allow',
      says: moments.map((moment) => saidOf(moment)).join(' '),
    },
    [
      label(
        { x: 60, y: 24 },
        `A guess a minute, or as soon as a block ends: ${moments.length} in ${(last?.at ?? 0) / MINUTE_MS} min, then ${span(last?.decision.retryAfterMs ?? 0)} of rest.`,
      ),
      ...moments
        .filter(({ decision }) => decision.outcome === 'HARD_BLOCK')
        .map(({ at, decision }) => {
          const end = Math.min(lastMs, at + decision.retryAfterMs);
          const name = `level ${decision.level}`;
          const area = { x: x(at), y: 44, width: x(end) - x(at), height: 246 };
          const middle = { x: (x(at) + x(end)) / 2, y: 60 };
          return (
            rectangle(area, 'red', 0) +
            (area.width > 60 ? label(middle, name, { classes: 'small', anchor: 'middle' }) : '')
          );
        }),
      threshold(softFrom, 'SOFT level 1', 'amber'),
      threshold(hardFrom, 'HARD level 2', 'red'),
      threshold(severeFrom, 'HARD, from level 3 up', 'red'),
      curve(
        stairs(moments, lastMs).map(({ at, score }) => ({ x: x(at), y: y(score) })),
        'blue',
      ),
      ...moments.map(({ at, score }) => dot({ x: x(at), y: y(score) }, 'blue')),
      line({ x: 60, y: 290 }, { x: 710, y: 290 }),
      ...[0, 10, 20, 30, 40].map((minute) =>
        label({ x: x(minute * MINUTE_MS), y: 308 }, `${minute} min`, {
          classes: 'small faint',
          anchor: 'middle',
        }),
      ),
      label({ x: 54, y: 294 }, '0', { classes: 'small faint', anchor: 'end' }),
      label({ x: 60, y: 328 }, 'blue: the account’s score · red: HARD blocks that run', {
        classes: 'small faint',
      }),
    ],
  );
}

const saidOf = ({ at, decision, score }: Moment): string =>
  `After ${at / MINUTE_MS} min: score ${score}, ${decision.outcome}, level ${decision.level}.`;

/** A score stays where it is until the next failure looks at it. */
function stairs(moments: readonly Moment[], lastMs: number): readonly Pick<Moment, 'at' | 'score'>[] {
  return moments.flatMap(({ at, score }, index) => [
    { at, score },
    { at: moments[index + 1]?.at ?? lastMs, score },
  ]);
}

/** One guess in 30 minutes: slow enough that the score forgets each of them. */
export async function budgetPicture(): Promise<string> {
  const everyMs = 30 * MINUTE_MS;
  const dayMs = defaultLogin.budget.epochMs;
  const moments = await playFailures(dayMs - everyMs, ({ at }) => at + everyMs);
  const x = (ms: number) => 40 + (680 * ms) / dayMs;
  const tones = { ALLOW: 'blue', SOFT_BLOCK: 'amber', HARD_BLOCK: 'red' } as const;
  const heights = { ALLOW: 40, SOFT_BLOCK: 70, HARD_BLOCK: 100 } as const;
  const active = moments.find(({ decision }) => decision.rule === 'budget');
  const first = (rule: string) => moments.find(({ decision }) => decision.rule === rule)?.at ?? 0;
  const counts = (rule: string) => moments.filter(({ decision }) => decision.rule === rule).length;
  return picture(
    {
      width: 760,
      height: 270,
      title: 'A patient guesser and the budget',
      says: `One failure every 30 minutes for a day. The budget speaks ${counts('budget')} times, from ${first('budget') / HOUR_MS} h on; equilibrium ${counts('equilibrium')} times, from ${first('equilibrium') / HOUR_MS} h on.`,
    },
    [
      label({ x: 40, y: 24 }, 'One guess every 30 min: the score forgives it, the budget does not.'),
      label({ x: 40, y: 42 }, 'What each failure is answered, over one day:', { classes: 'small faint' }),
      rectangle({ x: x(active?.at ?? 0), y: 62, width: 720 - x(active?.at ?? 0), height: 118 }, 'plain', 0),
      label(
        { x: x(active?.at ?? 0) + 6, y: 76 },
        'the budget is active, until 24 h after the first failure',
        {
          classes: 'small faint',
        },
      ),
      ...moments.map(({ at, decision }) => {
        const height = heights[decision.outcome];
        return rectangle({ x: x(at) + 2, y: 180 - height, width: 10, height }, tones[decision.outcome], 2);
      }),
      line({ x: 40, y: 180 }, { x: 720, y: 180 }),
      ...[0, 4, 8, 12, 16, 20, 24].map((hour) =>
        label({ x: x(hour * HOUR_MS), y: 198 }, `${hour} h`, { classes: 'small faint', anchor: 'middle' }),
      ),
      label(
        { x: 40, y: 224 },
        'blue: ALLOW · amber: SOFT, a budget’s is deferred: right credentials still get in · red: HARD',
        {
          classes: 'small faint',
        },
      ),
      label(
        { x: 40, y: 242 },
        `${first('budget') / HOUR_MS} h: failure ${defaultLogin.budget.threshold} within 24 h activates the budget, a SOFT of 5 min once an hour.`,
        {
          classes: 'small faint',
        },
      ),
      label(
        { x: 40, y: 258 },
        `${first('equilibrium') / HOUR_MS} h: three SOFTs within 6 h are a pattern of their own, a HARD. From then on the score no longer forgets in time.`,
        {
          classes: 'small faint',
        },
      ),
    ],
  );
}
