import { Fault, shapeOf } from '../core/fault.ts';

/** An address in the one form that stands for it. */
export interface Address {
  /** Dotted quad for IPv4, RFC 5952 for IPv6. */
  readonly text: string;
  /** The prefix that counts as one origin (engine contract §3): IPv4 /32, IPv6 /64. */
  readonly network: string;
  /** The wider prefixes of an IPv6 address; null for IPv4. */
  readonly macros: { readonly p48: string; readonly p40: string; readonly p32: string } | null;
}

const groupCount = 8;
const zeros: readonly number[] = [0, 0, 0, 0, 0, 0, 0, 0];
const dot = 46;
const zero = 48;
const colon = 58;
/** Numbers of interfaces, and names: a system takes nearly any. What is behind another `%` or a slash is no part of one. */
const zoneId = /^[^\s%/\p{Cc}]+$/u;

/**
 * Reads an IPv4 or IPv6 address strictly: a dotted quad without leading zeros, or any text of RFC 4291 with or
 * without a zone id, which is dropped. What carries an IPv4 address (IPv4-mapped, NAT64 `64:ff9b::/96`, 6to4
 * `2002::/16`) is that IPv4 address, or one client could show itself under many.
 *
 * The parser is our own because the lenient ones accept octal, hexadecimal and short forms, and what two parsers read
 * differently is two identities.
 *
 * @throws Fault `INPUT_INVALID` for anything else: brackets, ports, prefixes, whitespace.
 */
export function parseAddress(text: string): Address {
  if (typeof text !== 'string') throw notAnAddress(text);
  const quad = parseQuad(text, 0, text.length);
  // Written anew: of a text that was cut out of a header, all of the header would be kept with it.
  if (quad >= 0) return ipv4(quadText(quad >>> 16, quad & 0xffff));
  const groups = parseGroups(withoutZone(text));
  if (groups === null) throw notAnAddress(text);
  const embedded = embeddedQuad(groups);
  return embedded === null ? ipv6(groups) : ipv4(embedded);
}

function notAnAddress(value: unknown): Fault {
  return new Fault('INPUT_INVALID', `ip must be the text of an IPv4 or IPv6 address, got ${shapeOf(value)}.`);
}

function ipv4(text: string): Address {
  return { text, network: `${text}/32`, macros: null };
}

function ipv6(groups: readonly number[]): Address {
  const [first = 0, second = 0, third = 0, fourth = 0] = groups;
  return {
    text: format(groups),
    network: `${format([first, second, third, fourth, 0, 0, 0, 0])}/64`,
    macros: {
      p48: `${format([first, second, third, 0, 0, 0, 0, 0])}/48`,
      p40: `${format([first, second, third & 0xff00, 0, 0, 0, 0, 0])}/40`,
      p32: `${format([first, second, 0, 0, 0, 0, 0, 0])}/32`,
    },
  };
}

/** The 32 bits of the dotted quad that fills `text` from `start` to `end`, or −1. */
function parseQuad(text: string, start: number, end: number): number {
  if (end - start < 7 || end - start > 15) return -1;
  let quad = 0;
  let octets = 0;
  for (let at = start; octets < 4; octets += 1) {
    const first = text.charCodeAt(at) - zero;
    if (!(first >= 0 && first <= 9)) return -1;
    let octet = first;
    at += 1;
    for (let digit = digitAt(text, at, end); digit >= 0; digit = digitAt(text, at, end)) {
      if (first === 0) return -1;
      octet = octet * 10 + digit;
      if (octet > 255) return -1;
      at += 1;
    }
    quad = quad * 256 + octet;
    if (octets === 3) return at === end ? quad : -1;
    if (at >= end || text.charCodeAt(at) !== dot) return -1;
    at += 1;
  }
  return -1;
}

function digitAt(text: string, at: number, end: number): number {
  const digit = at < end ? text.charCodeAt(at) - zero : -1;
  return digit <= 9 ? digit : -1;
}

/** The text before a well-formed zone id; all of it where there is none, so that a bad one stays and fails. */
function withoutZone(text: string): string {
  const percent = text.indexOf('%');
  return percent >= 0 && zoneId.test(text.slice(percent + 1)) ? text.slice(0, percent) : text;
}

/** The eight groups of an IPv6 text, or null. */
function parseGroups(text: string): number[] | null {
  const groups: number[] = [];
  const end = text.length;
  let gap = -1;
  let at = 0;
  if (text.startsWith('::')) {
    gap = 0;
    at = 2;
  }
  while (at < end) {
    const start = at;
    let group = 0;
    for (let digit = hexAt(text, at); digit >= 0; digit = hexAt(text, at)) {
      group = group * 16 + digit;
      at += 1;
      if (at - start > 4) return null;
    }
    if (at < end && text.charCodeAt(at) === dot) {
      const quad = parseQuad(text, start, end);
      if (quad < 0) return null;
      groups.push(Math.floor(quad / 0x10000), quad % 0x10000);
      break;
    }
    if (at === start || groups.length === groupCount) return null;
    groups.push(group);
    if (at === end) break;
    if (text.charCodeAt(at) !== colon || at + 1 === end) return null;
    at += 1;
    if (text.charCodeAt(at) !== colon) continue;
    if (gap >= 0) return null;
    gap = groups.length;
    at += 1;
  }
  return expand(groups, gap);
}

/** `::` stands for one group of zeros or more, and only where it is written. */
function expand(groups: number[], gap: number): number[] | null {
  const missing = groupCount - groups.length;
  if (gap < 0) return missing === 0 ? groups : null;
  if (missing < 1) return null;
  groups.splice(gap, 0, ...zeros.slice(0, missing));
  return groups;
}

function hexAt(text: string, at: number): number {
  const code = text.charCodeAt(at);
  if (code >= zero && code <= 57) return code - zero;
  const letter = code | 0x20;
  return letter >= 97 && letter <= 102 ? letter - 87 : -1;
}

function embeddedQuad(groups: readonly number[]): string | null {
  const [first = 0, second = 0, third = 0, fourth = 0, fifth = 0, sixth = 0, seventh = 0, eighth = 0] =
    groups;
  if (first === 0x2002) return quadText(second, third);
  if (third !== 0 || fourth !== 0 || fifth !== 0) return null;
  const mapped = first === 0 && second === 0 && sixth === 0xffff;
  const nat64 = first === 0x64 && second === 0xff9b && sixth === 0;
  return mapped || nat64 ? quadText(seventh, eighth) : null;
}

function quadText(high: number, low: number): string {
  return `${high >> 8}.${high & 255}.${low >> 8}.${low & 255}`;
}

/**
 * RFC 5952: lower case, no leading zeros, `::` for the first
 * of the longest runs of at least two zero groups.
 */
function format(groups: readonly number[]): string {
  const { start, length } = longestZeros(groups);
  if (length < 2) return hex(groups, 0, groupCount);
  return `${hex(groups, 0, start)}::${hex(groups, start + length, groupCount)}`;
}

function hex(groups: readonly number[], from: number, to: number): string {
  let text = '';
  for (let index = from; index < to; index += 1) {
    if (index > from) text += ':';
    text += (groups[index] ?? 0).toString(16);
  }
  return text;
}

function longestZeros(groups: readonly number[]): { start: number; length: number } {
  let longestStart = 0;
  let longest = 0;
  let start = 0;
  for (let index = 0; index < groupCount; index += 1) {
    if (groups[index] !== 0) {
      start = index + 1;
    } else if (index + 1 - start > longest) {
      longestStart = start;
      longest = index + 1 - start;
    }
  }
  return { start: longestStart, length: longest };
}
