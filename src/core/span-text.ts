import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS } from './duration.ts';

const units = [
  { ms: DAY_MS, name: 'd' },
  { ms: HOUR_MS, name: 'h' },
  { ms: MINUTE_MS, name: 'min' },
  { ms: SECOND_MS, name: 's' },
] as const;

/** A length of time in its two largest units, the rest cut off: `4 h 9 min`, `34 min 8 s`; below a second in ms. */
export function spanText(ms: number): string {
  const [larger, smaller] = unitsOf(ms);
  if (ms < SECOND_MS) return ms > 0 ? `${Math.round(ms)} ms` : '0 s';
  const rest = smaller === undefined ? 0 : Math.floor((ms % larger.ms) / smaller.ms);
  const most = `${Math.floor(ms / larger.ms)} ${larger.name}`;
  return rest === 0 || smaller === undefined ? most : `${most} ${rest} ${smaller.name}`;
}

/** A time that is still to pass, the same way but never shorter than it is: whoever comes back then has waited long enough. */
export function waitText(ms: number): string {
  const [larger, { ms: stepMs } = larger] = unitsOf(ms);
  return spanText(stepMs * Math.ceil(ms / stepMs));
}

/** The largest unit that fits and the one below it; seconds for what is shorter. */
function unitsOf(ms: number) {
  const largest = units.findIndex((unit) => ms >= unit.ms);
  return [units[largest] ?? units[3], units[largest === -1 ? 4 : largest + 1]] as const;
}
