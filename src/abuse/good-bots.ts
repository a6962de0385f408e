import type { RequestCall } from './request-event.ts';

/** Tells who is a search engine that may read as much as it likes. */
export interface BotVerifier {
  /** Whether this caller has been verified. Answers from memory. */
  isVerified(call: RequestCall): boolean;
  /** The same, finding it out where it is not known yet. Never rejects; whoever cannot be verified is not. */
  verify(call: RequestCall): Promise<boolean>;
}
