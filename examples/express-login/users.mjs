import { createHmac, randomBytes, scrypt, timingSafeEqual } from 'node:crypto';
import { promisify } from 'node:util';
import { stepOf } from './totp.mjs';

const derive = promisify(scrypt);
const indexSecret = randomBytes(32);

/** What stands for an email in keys: nobody can turn it back, and spelling does not matter. */
export function blindIndex(email) {
  return createHmac('sha256', indexSecret).update(String(email).trim().toLowerCase()).digest('base64url');
}

async function createUser(email, password, totpSecret) {
  const salt = randomBytes(16);
  return { email, salt, hash: await derive(password, salt, 32), totpSecret, usedStep: 0 };
}

/** One user in memory, in place of a database. */
const users = new Map();
const ada = await createUser('ada@example.org', 'correct horse battery', Buffer.from('12345678901234567890'));
users.set(blindIndex(ada.email), ada);
const nobody = await createUser('', 'nobody has this password', Buffer.alloc(20));

/** Takes as long for an email that nobody has. */
export async function verifyPassword(email, password) {
  const user = users.get(blindIndex(email)) ?? nobody;
  const hash = await derive(String(password), user.salt, 32);
  return timingSafeEqual(hash, user.hash) && user !== nobody ? user : null;
}

/** A code counts once. */
export function verifyCode(user, code) {
  const step = stepOf(code, user.totpSecret, Date.now());
  if (step === null || step <= user.usedStep) return null;
  user.usedStep = step;
  return user;
}
