import type { DecidedCall } from '../../guard/witness.ts';

/** What a line of a decision log begins with, so that no event and no access log is taken for one. */
export const decisionLogVersion = 'portcullis.decision/1';

const head = `{"v":"${decisionLogVersion}","t":`;

/** Every line of a decision log of any version begins so; also what tells such a file from another. */
export const decisionLogBegin = '{"v":"portcullis.decision/';

/**
 * A decided call as one line of ASCII, with its line end. What is not there is left out: an account (api), prefixes (IPv4), a
 * device, a cost of 1, all but the outcome and the mode of an ALLOW. Of the subject only hashes are written.
 */
export function decisionLogLine(decided: DecidedCall): string {
  const { t, op, action, cost, subject, decision } = decided;
  const { account, network, macros, agent, otherAgent, device } = subject;
  let line = `${head}${t},"op":"${op}","action":${asciiText(action)}`;
  if (cost !== 1) line += `,"cost":${cost}`;
  if (account !== null) line += `,"account":"${account.hash}"`;
  line += `,"network":"${network.hash}"`;
  if (macros !== null) {
    line += `,"prefixes":["${macros.p48.hash}","${macros.p40.hash}","${macros.p32.hash}"]`;
  }
  line += `,"agent":"${agent.hash}","otherAgent":"${otherAgent.hash}"`;
  if (device !== null) line += `,"device":"${device.token.hash}","confidence":"${device.confidence}"`;
  line += `,"outcome":"${decision.outcome}"`;
  if (decision.outcome !== 'ALLOW') {
    line += `,"level":${decision.level},"until":${decision.until},"rule":"${decision.rule}","scope":"${decision.scope}"`;
  }
  if (decision.deferred) line += ',"deferred":true';
  return `${line},"mode":"${decision.mode}"}\n`;
}

/** A line that stands where others are missing: so many were dropped. */
export function droppedLine(t: number, dropped: number): string {
  return `${head}${t},"dropped":${dropped}}\n`;
}

/** The name of an action may be any text; as ASCII its characters are its bytes, and the bounds hold. */
function asciiText(text: string): string {
  const json = JSON.stringify(text);
  return ascii.test(json) ? json : json.replace(notAscii, escaped);
}

const ascii = /^[\x20-\x7e]*$/;
const notAscii = /[^\x20-\x7e]/g;
const escaped = (unit: string): string => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`;
