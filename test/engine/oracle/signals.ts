/**
 * The oracle's own reading of the signals: addresses as plain prefix text, agents as `family/major`.
 * It shares no code with the product on purpose: a mistake made once would otherwise be made twice.
 */

/** The prefixes of one address: `k1` always, the macro prefixes for IPv6 only. */
export interface Prefixes {
  readonly k1: string;
  readonly p48?: string;
  readonly p40?: string;
  readonly p32?: string;
}

export function prefixesOf(ip: string): Prefixes {
  const text = ip.split('%')[0] ?? '';
  if (!text.includes(':')) return { k1: text };
  const bytes = bytesOf(text);
  const inner = innerV4(bytes);
  if (inner !== undefined) return { k1: inner.join('.') };
  return {
    k1: prefixText(bytes, 64),
    p48: prefixText(bytes, 48),
    p40: prefixText(bytes, 40),
    p32: prefixText(bytes, 32),
  };
}

function bytesOf(text: string): number[] {
  const [head = '', tail] = text.split('::');
  const left = groupBytes(head);
  if (tail === undefined) return left;
  const right = groupBytes(tail);
  const gap = new Array<number>(16 - left.length - right.length).fill(0);
  return [...left, ...gap, ...right];
}

function groupBytes(part: string): number[] {
  if (part === '') return [];
  return part.split(':').flatMap((group) => {
    if (group.includes('.')) return group.split('.').map(Number);
    const value = Number.parseInt(group, 16);
    return [value >> 8, value & 255];
  });
}

function innerV4(bytes: readonly number[]): number[] | undefined {
  const hex = bytes.map((byte) => byte.toString(16).padStart(2, '0')).join('');
  if (hex.startsWith('00000000000000000000ffff')) return bytes.slice(12);
  if (hex.startsWith('0064ff9b0000000000000000')) return bytes.slice(12);
  if (hex.startsWith('2002')) return bytes.slice(2, 6);
  return undefined;
}

function prefixText(bytes: readonly number[], bits: number): string {
  return `${bytes.slice(0, bits / 8).join('.')}/${bits}`;
}

const families: readonly (readonly [string, RegExp])[] = [
  ['opera', /(?:OPR\/|OPiOS\/|Opera\/)(\d{1,3})(?!\d)/],
  ['edge', /(?:Edg\/|EdgA\/|EdgiOS\/|Edge\/)(\d{1,3})(?!\d)/],
  ['firefox', /(?:Firefox\/|FxiOS\/)(\d{1,3})(?!\d)/],
  ['chrome', /(?:Chrome\/|CriOS\/)(\d{1,3})(?!\d)/],
  ['safari', /Version\/(\d{1,3})(?!\d)(?=.*Safari\/)/s],
];

/** What an agent counts as when nothing matched, there was none, or its network has too many. */
export const unknownAgent = 'other/0';

export function agentOf(ua: string | undefined): string {
  for (const [family, pattern] of families) {
    const major = pattern.exec(ua ?? '')?.[1];
    if (major !== undefined) return `${family}/${Number(major)}`;
  }
  return unknownAgent;
}
