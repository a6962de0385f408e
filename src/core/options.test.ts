import { describe, expect, it } from 'vitest';
import { assertOptions, assertPart, fieldNames, type OptionKinds, unknownField } from './options.ts';

interface Options {
  readonly limit?: number;
  readonly onEvent?: () => void;
  readonly shadow?: boolean;
  readonly names?: readonly string[];
  readonly nested?: object;
  readonly title?: string;
}

const kinds: OptionKinds<Options> = {
  limit: 'checked',
  onEvent: 'function',
  shadow: 'boolean',
  names: 'list',
  nested: 'object',
  title: 'text',
};

describe('options', () => {
  it('may all be left out, or be undefined', () => {
    assertOptions('a thing', {}, kinds);
    const unset = Object.fromEntries(Object.keys(kinds).map((name) => [name, undefined]));
    assertOptions('a thing', unset as Options, kinds);
  });

  it('are what they are said to be', () => {
    const options = { limit: 5, onEvent: () => {}, shadow: false, names: [], nested: {}, title: '' };
    assertOptions('a thing', options, kinds);
  });

  it.each<[unknown, string]>([
    [{ max: 5 }, 'max is no option of a thing: there are limit, onEvent, shadow, names, nested, title'],
    [{ toString: 5 }, 'toString is no option of a thing'],
    [{ constructor: undefined }, 'constructor is no option of a thing'],
    [{ onEvent: 'log' }, 'onEvent must be a function, got a string of 3 characters'],
    [{ shadow: 'false' }, 'shadow must be true or false, got a string of 5 characters'],
    [{ shadow: null }, 'shadow must be true or false, got null'],
    [{ names: 'a' }, 'names must be a list, got a string of 1 characters'],
    [{ nested: [] }, 'nested must be an object, got an array of 0'],
    [{ title: 5 }, 'title must be a string, got an integer of 1 digit'],
    [null, 'options of a thing must be an object, got null'],
    ['a', 'options of a thing must be an object, got a string of 1 characters'],
    [[], 'options of a thing must be an object, got an array of 0'],
  ])('are refused by name: %j', (options, message) => {
    expect(() => assertOptions('a thing', options as Options, kinds)).toThrow(
      expect.objectContaining({ code: 'CONFIG_INVALID', message: expect.stringContaining(message) }),
    );
  });
});

describe('a part', () => {
  const ticking = { tick: () => 1, stop: () => 2 };

  it('is what has the methods that are asked of it, its own or those of its class', () => {
    assertPart('clock', ticking, ['tick', 'stop'], 'what createClock gives');
    assertPart('clock', Object.create(ticking), ['tick'], 'what createClock gives');
  });

  it.each<[unknown, string]>([
    [{ everyMs: 5 }, 'clock must be what createClock gives, got an object without tick'],
    [{ ...ticking, stop: 5 }, 'clock must be what createClock gives, got an object without stop'],
    [undefined, 'clock must be what createClock gives, got nothing'],
    [() => 5, 'clock must be what createClock gives, got a function'],
    [[], 'clock must be what createClock gives, got an array of 0'],
  ])('is refused where it is another: %j', (part, message) => {
    expect(() => assertPart('clock', part, ['tick', 'stop'], 'what createClock gives')).toThrow(
      expect.objectContaining({ code: 'CONFIG_INVALID', message }),
    );
  });
});

describe('a field that there is not', () => {
  const known = fieldNames<{ readonly path?: string; readonly limit?: number }>({ path: true, limit: true });

  it.each<[object, string | null]>([
    [{}, null],
    [{ limit: 5, path: undefined }, null],
    [{ limit: 5, pathh: '/' }, 'pathh'],
    [{ constructor: undefined }, 'constructor'],
    [JSON.parse('{ "__proto__": 1 }'), '__proto__'],
    [['/'], '0'],
  ])('is found in %j', (fields, unknown) => {
    expect(unknownField(fields, known)).toBe(unknown);
  });

  it('is one of its own: what all objects inherit is nobody’s mistake', () => {
    expect(unknownField(Object.create({ limits: 5 }), known)).toBeNull();
  });
});
