import { createHmac, randomBytes } from 'node:crypto';
import { compare, hash } from 'bcrypt';
import { stepOf } from './totp.mjs';

/** Of bcrypt: each more doubles the time that a guess takes. */
const rounds = 12;
/** Bcrypt looks at no more of a password: two that begin alike would be the same. */
const longestPassword = 72;
const indexSecret = randomBytes(32);

/** What stands for an email in keys: nobody can turn it back, and spelling does not matter. */
export function blindIndex(email) {
  return createHmac('sha256', indexSecret).update(String(email).trim().toLowerCase()).digest('base64url');
}

async function createUser(email, password, totpSecret) {
  return { email, hash: await hash(password, rounds), totpSecret, usedStep: 0 };
}

/** One user in memory, in place of a database. */
const users = new Map();
const ada = await createUser('ada@example.org', 'correct horse battery', Buffer.from('12345678901234567890'));
users.set(blindIndex(ada.email), ada);
const nobody = await createUser('', 'nobody has this password', Buffer.alloc(20));

/** Takes as long for an email that nobody has. */
export async function verifyPassword(email, password) {
  const user = users.get(blindIndex(email)) ?? nobody;
  const text = String(password);
  const isRight = await compare(text, user.hash);
  return isRight && user !== nobody && Buffer.byteLength(text) <= longestPassword ? user : null;
}

/** A code counts once. */
export function verifyCode(user, code) {
  const step = stepOf(code, user.totpSecret, Date.now());
  if (step === null || step <= user.usedStep) return null;
  user.usedStep = step;
  return user;
}
