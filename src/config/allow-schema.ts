import Type from 'typebox';
import { cidrs, optionalFields, strict, text } from './fields.ts';

const Header = Type.Object(
  {
    name: Type.String({ pattern: '^[\\w-]{1,64}$', expected: 'the name of a header' }),
    value: Type.String({ minLength: 16, maxLength: 1024 }),
  },
  strict,
);

/** Who is not limited, or not judged. */
export const AllowSchema = optionalFields(
  {
    cidrs: cidrs('Ranges of addresses.'),
    users: Type.Array(text(256), { maxItems: 10_000, description: 'User ids.' }),
    headers: Type.Array(Header, {
      maxItems: 64,
      description: 'Headers with a value that only friends know.',
    }),
  },
  { description: 'Who passes without being counted.' },
);
