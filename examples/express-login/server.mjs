import { randomBytes } from 'node:crypto';
import express from 'express';
import { createGuard } from 'portcullis';
import { createDevices } from 'portcullis/device';
import { limit, protect, signInOf } from 'portcullis/express';
import { createLimiter } from 'portcullis/limits';
import { createMemoryStore } from 'portcullis/memory';
import { blindIndex, verifyCode, verifyPassword } from './users.mjs';

// In earnest: from where you keep secrets, the same on every server, and a store that the servers share.
const secret = randomBytes(32);
const store = createMemoryStore();
const guard = createGuard({ secret, store });
const devices = createDevices({ secret, secure: false });
const limiter = createLimiter({
  secret,
  store,
  routes: [
    { method: 'POST', path: '/login', signIn: true },
    { method: 'POST', path: '/otp', signIn: true },
  ],
});

/** Sign-ins that wait for their code, by a random token. */
const pending = new Map();

const app = express();
app.use(limit(limiter), express.json({ limit: '10kb' }));

app.post(
  '/login',
  protect(guard, {
    account: ({ body }) => body?.email && blindIndex(body.email),
    verify: ({ body }) => verifyPassword(body.email, body.password),
    devices,
    // The code follows: whoever has only the password must not become known by it.
    isLastFactor: false,
  }),
  (request, response) => {
    const token = randomBytes(16).toString('base64url');
    pending.set(token, signInOf(request).value);
    setTimeout(() => pending.delete(token), 5 * 60_000).unref();
    response.json({ next: '/otp', token });
  },
);

app.post(
  '/otp',
  protect(guard, {
    action: 'auth.otp',
    account: ({ body }) => pending.has(body?.token) && blindIndex(pending.get(body.token).email),
    verify: ({ body }) => verifyCode(pending.get(body.token), body.code),
    devices,
  }),
  (request, response) => {
    pending.delete(request.body.token);
    response.json({ welcome: signInOf(request).value.email });
  },
);

const server = app.listen(Number(process.env.PORT ?? 3000), '127.0.0.1', () => {
  console.log(`listening on http://127.0.0.1:${server.address().port}`);
});
