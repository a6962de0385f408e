import fc from 'fast-check';
import Type from 'typebox';
import { describe, expect, it } from 'vitest';
import { BatchItemSchema, SignalsSchema } from '../routes/schemas.ts';
import { requiring, validatorFor } from './validation.ts';

describe('validation', () => {
  const validate = validatorFor(SignalsSchema);

  it('has nothing to say about what fits', () => {
    expect(validate({ ip: '10.0.0.1' })).toBeNull();
    expect(
      validate({ ip: '10.0.0.1', account: null, ua: null, device: null, action: 'auth.otp' }),
    ).toBeNull();
  });

  it('names every field that does not', () => {
    const problems = validate({ t: 1, ip: 5, device: { id: '', confidence: 'SURE' } });
    expect(problems?.map(({ field }) => field).sort()).toEqual(['device.confidence', 'device.id', 'ip', 't']);
  });

  it('names what is missing where nothing was sent at all', () => {
    expect(validate(undefined)).toEqual([{ field: 'ip', problem: 'is missing' }]);
    const list = validatorFor(Type.Array(BatchItemSchema));
    expect(list(undefined)).toEqual([{ field: 'body', problem: 'must be a list, got nothing' }]);
    const anyFields = validatorFor(Type.Object({ name: Type.Optional(Type.String()) }));
    expect(anyFields(undefined)).toEqual([{ field: 'body', problem: 'must be an object, got nothing' }]);
  });

  it('names fields that are required for this once with the others', () => {
    const noted = Type.Object({ by: Type.Optional(Type.String({ minLength: 1 })), why: Type.String() });
    const nameless = validatorFor(requiring(noted, ['by']));
    expect(nameless({})).toEqual(['why', 'by'].map((field) => ({ field, problem: 'is missing' })));
    expect(nameless({ by: '', why: 'x' })?.map(({ field }) => field)).toEqual(['by']);
    expect(nameless({ by: 'Ada', why: 'x' })).toBeNull();
    expect(validatorFor(noted)({ why: 'x' })).toBeNull();
  });

  it('never quotes a value, and says no more than helps', () => {
    const secret = 'mallory@example.org';
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.constantFrom(secret, [secret], { a: secret })), (body) => {
        const problems = validate({ ...body, ip: [secret] }) ?? [];
        expect(problems.length).toBeGreaterThan(0);
        expect(problems.length).toBeLessThanOrEqual(8);
        expect(JSON.stringify(problems.map(({ problem }) => problem))).not.toContain(secret);
        for (const { field } of problems) expect(field.length).toBeLessThan(200);
      }),
    );
  });

  it('finds a problem exactly where the schema does', () => {
    const batch = validatorFor(Type.Array(BatchItemSchema, { maxItems: 3 }));
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        expect(batch(value)).not.toEqual([]);
      }),
    );
  });
});
