import { Fault, shapeOf } from '../../core/fault.ts';
import type { Scenario } from './scenario.ts';

/** What is left out of a seed's world, so that only what matters for a failure is in it. */
export interface Cut {
  /** Indexes of actors and troubles that are left out. */
  readonly actors: readonly number[];
  readonly troubles: readonly number[];
  /** Only so many nodes; null: all. */
  readonly nodes: number | null;
  /** Every actor makes at most so many moves; null: all. */
  readonly moves: number | null;
}

export const noCut: Cut = { actors: [], troubles: [], nodes: null, moves: null };

export function cutScenario(scenario: Scenario, { actors, troubles, nodes, moves }: Cut): Scenario {
  return {
    ...scenario,
    nodes: scenario.nodes.slice(0, nodes ?? scenario.nodes.length),
    troubles: scenario.troubles.filter((_, index) => !troubles.includes(index)),
    // An actor that is left out makes no move: the others keep their places, and with them their randomness.
    actors: scenario.actors.map((actor, index) => ({
      ...actor,
      moves: actors.includes(index) ? 0 : Math.min(actor.moves, moves ?? actor.moves),
    })),
  };
}

/** The command that runs this world again. */
export function reproCommand(seed: number, { actors, troubles, nodes, moves }: Cut = noCut): string {
  const words = ['npm run simulate -- --seed', `${seed}`];
  if (actors.length > 0) words.push('--without-actors', actors.join(','));
  if (troubles.length > 0) words.push('--without-troubles', troubles.join(','));
  if (nodes !== null) words.push('--nodes', `${nodes}`);
  if (moves !== null) words.push('--moves', `${moves}`);
  return words.join(' ');
}

/** The values of the options that {@link reproCommand} prints. */
export interface CutOptions {
  readonly 'without-actors'?: string | undefined;
  readonly 'without-troubles'?: string | undefined;
  readonly nodes?: string | undefined;
  readonly moves?: string | undefined;
}

/** @throws Fault `INPUT_INVALID` when a value is not a number or a list of numbers. */
export function readCut(options: CutOptions): Cut {
  const list = (name: 'without-actors' | 'without-troubles') =>
    (options[name] ?? '')
      .split(',')
      .filter((text) => text !== '')
      .map((text) => readNumber(name, text));
  const number = (name: 'nodes' | 'moves') =>
    options[name] === undefined ? null : readNumber(name, options[name]);
  return {
    actors: list('without-actors'),
    troubles: list('without-troubles'),
    nodes: number('nodes'),
    moves: number('moves'),
  };
}

export function readNumber(name: string, text: string): number {
  const value = Number(text);
  if (/^\d+$/.test(text) && Number.isSafeInteger(value)) return value;
  throw new Fault('INPUT_INVALID', `--${name} must be a whole number, got ${shapeOf(text)}`);
}
