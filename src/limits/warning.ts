/** A mistake in how a service is set up, and what to do about it. */
export interface Warning {
  readonly code:
    | 'PORTCULLIS_MEMORY_STORE_IN_CLUSTER'
    | 'PORTCULLIS_TRUSTS_EVERYBODY'
    | 'PORTCULLIS_PROXY_UNTRUSTED'
    | 'PORTCULLIS_PEER_UNKNOWN';
  readonly message: string;
}

export type WarningListener = (warning: Warning) => void;

/** Warns as Node does: once on stderr, or to whoever listens to the process's `warning`. */
export const emitWarning: WarningListener = ({ code, message }) => {
  process.emitWarning(message, { type: 'PortcullisWarning', code });
};
