import { KEY_ID_MAX_CHARS, type KeyRing, SIGNATURE_CHARS } from './key-ring.ts';

/** The response header that answers a passport. */
export const RECEIPT_HEADER = 'x-portcullis-receipt';

const MAX_RECEIPT_CHARS = 128;

/** What a callee tells its caller about the retries it was lent. */
export interface Receipt {
  /** Retries that were not used; they belong to the caller again. */
  readonly unused: number;
  /**
   * A call further down failed for good. The service next to the failure has decided about retries; trying again
   * from further up would repeat that decision once per layer, which is how retry storms grow.
   */
  readonly failedBelow: boolean;
}

export type ReceiptFlaw = 'malformed' | 'bad-signature' | 'too-generous';

export type ReceiptReading =
  | { readonly valid: true; readonly receipt: Receipt }
  | { readonly valid: false; readonly flaw: ReceiptFlaw };

/** `1;<key id>;<signature>;<unused>;<0|1>`; the nonce of the call is signed but not repeated. */
const FRAME = new RegExp(
  `^1;([\\w-]{1,${KEY_ID_MAX_CHARS}});([\\w-]{${SIGNATURE_CHARS}});(\\d{1,3});([01])$`,
);

function signedText(nonce: string, unused: string, failedBelow: string): string {
  return `${nonce};${unused};${failedBelow}`;
}

/** Signs and writes the receipt of the call that `nonce` names. */
export function writeReceipt(receipt: Receipt, nonce: string, keys: KeyRing): string {
  const unused = String(receipt.unused);
  const failedBelow = receipt.failedBelow ? '1' : '0';
  const signed = keys.sign('receipt', signedText(nonce, unused, failedBelow));
  return `1;${keys.signingId};${signed};${unused};${failedBelow}`;
}

/** Reads the receipt of the call that `nonce` names, which was lent `lent` retries. */
export function readReceipt(text: string, nonce: string, lent: number, keys: KeyRing): ReceiptReading {
  if (text.length > MAX_RECEIPT_CHARS) return { valid: false, flaw: 'malformed' };
  const [, keyId = '', signed = '', unused = '', failedBelow = ''] = FRAME.exec(text) ?? [];
  if (keyId === '') return { valid: false, flaw: 'malformed' };
  if (!keys.verifies('receipt', keyId, signedText(nonce, unused, failedBelow), signed)) {
    return { valid: false, flaw: 'bad-signature' };
  }
  if (Number(unused) > lent) return { valid: false, flaw: 'too-generous' };
  return { valid: true, receipt: { unused: Number(unused), failedBelow: failedBelow === '1' } };
}
