import type { EventHub } from '../guard/events.ts';
import { addressIn } from './client-ip.ts';
import type { CounterBackoff } from './counter-backoff.ts';
import type { KratosEvents } from './events.ts';
import { isPlainSpelling, normaliseIdentifier } from './identifier.ts';
import { lockoutMessage } from './lockout-words.ts';

/** What a webhook answers. */
export interface WebhookAnswer {
  readonly status: 200 | 403;
  readonly body: Readonly<Record<string, unknown>>;
}

/** The two webhooks, as plain functions over the bytes of a body. */
export interface Webhooks {
  /** Counts an attempt. 403 where it must not go on. */
  beforeLogin(body: Uint8Array): Promise<WebhookAnswer>;
  /** Resets what a login that has succeeded had counted. */
  afterLogin(body: Uint8Array): Promise<WebhookAnswer>;
}

const uncounted: WebhookAnswer = {
  status: 200,
  body: { allowed: true, identifier_attempts: 0, ip_attempts: 0 },
};

const reset: WebhookAnswer = { status: 200, body: { status: 'success', message: 'counters reset' } };

export function createWebhooks(backoff: CounterBackoff): Webhooks {
  const { events } = backoff;
  return {
    async beforeLogin(body) {
      const fields = readFields(body, events);
      if (fields === null) return uncounted;
      const identifier = identifierOf(fields.identifier);
      const ip = addressOf(fields.client_ip);
      if (identifier === null && ip === null) {
        warn(
          events,
          'KRATOS_WEBHOOK_EMPTY',
          'A before-login webhook named neither an identifier nor an address.',
        );
        return uncounted;
      }
      const verdict = await backoff.attempt({ identifiers: identifier === null ? [] : [identifier], ip });
      if (verdict.allowed) {
        const { identifierAttempts, ipAttempts } = verdict;
        const counts = { identifier_attempts: identifierAttempts, ip_attempts: ipAttempts };
        return { status: 200, body: { allowed: true, ...counts } };
      }
      const { reason, retryAfterSeconds } = verdict;
      const message = lockoutMessage(verdict);
      return {
        status: 403,
        body: { allowed: false, reason, message, retry_after_seconds: retryAfterSeconds },
      };
    },

    async afterLogin(body) {
      const fields = readFields(body, events);
      if (fields === null) return reset;
      const identifier = identifierOf(fields.email);
      const ip = addressOf(fields.client_ip);
      if (identifier === null && ip === null) {
        warn(events, 'KRATOS_WEBHOOK_EMPTY', 'An after-login webhook named neither an email nor an address.');
        return reset;
      }
      await backoff.reset(isProven(fields.email, identifier) ? identifier : null, ip);
      return reset;
    },
  };
}

/** Null, and a warning, for a body that is no JSON object. */
function readFields(body: Uint8Array, events: EventHub<KratosEvents>): Record<string, unknown> | null {
  const fields = parsed(body);
  if (fields !== null) return fields;
  warn(
    events,
    'KRATOS_WEBHOOK_UNREADABLE',
    'A webhook had a body that is no JSON object; nothing was counted.',
  );
  return null;
}

/** The message of a parse error quotes the body, which may hold an identifier, so it goes nowhere. */
function parsed(body: Uint8Array): Record<string, unknown> | null {
  try {
    const value: unknown = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(body));
    const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
    return isObject ? (value as Record<string, unknown>) : null;
  } catch (error) {
    if (error instanceof SyntaxError || error instanceof TypeError) return null;
    throw error;
  }
}

function identifierOf(value: unknown): string | null {
  const identifier = typeof value === 'string' ? normaliseIdentifier(value) : '';
  return identifier === '' ? null : identifier;
}

/** What Kratos names is the caller's own account; that the counter is that account's, its spelling has to show. */
const isProven = (email: unknown, key: string | null): boolean =>
  typeof email === 'string' && key !== null && isPlainSpelling(email, key);

const addressOf = (value: unknown): string | null =>
  typeof value === 'string' ? addressIn(value.trim()) : null;

function warn(
  events: EventHub<KratosEvents>,
  code: 'KRATOS_WEBHOOK_EMPTY' | 'KRATOS_WEBHOOK_UNREADABLE',
  message: string,
): void {
  events.emit('warning', { code, message });
}
