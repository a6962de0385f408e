import type { SubjectSignals } from '../api/operating.ts';
import { typedText } from './typed-text.ts';

/** A subject as it was typed, for the one who typed it. */
export function subjectWords({ account, ip, action, ua, device }: SubjectSignals): string {
  const parts = [
    account === undefined ? null : `account ${account}`,
    `IP address ${ip}`,
    `action ${action}`,
    ua === undefined ? null : `user agent ${ua}`,
    device === undefined ? null : `device ${device.id} (${device.confidence})`,
  ];
  const words = parts.filter((part) => part !== null).join(', ');
  return typedText(words.charAt(0).toUpperCase() + words.slice(1));
}
