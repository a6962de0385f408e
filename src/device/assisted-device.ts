import { cookieOf } from './cookie.ts';
import type { HeaderReader, ShownDevice } from './shown-device.ts';

/** Where {@link deviceScript} puts what it knows: a header for `fetch`, a cookie for forms. */
export const assistedHeader = 'x-portcullis-device';
export const assistedCookie = 'portcullis-device-id';

/** What the script in the browser tells. */
export interface AssistedDevice {
  readonly device: ShownDevice;
  /** The screen's sides, longest first, in steps of 200 pixels: `1800x1200`. */
  readonly screen: string;
  /** Hours east of Greenwich. */
  readonly timezoneHours: number;
}

const assistedText = /^1\.([A-Za-z0-9_-]{22})\.(\d{1,5}x\d{1,5})\.(-?\d{1,2})$/;

/**
 * A device by an id that its browser keeps. Anybody can make one up or copy it, so its confidence is MEDIUM; a text
 * that is not well formed is none. The header counts before the cookie.
 */
export function assistedDevice(header: HeaderReader): AssistedDevice | null {
  const text = header(assistedHeader) ?? cookieOf(header('cookie'), assistedCookie);
  const [, id, screen, hours] = text?.match(assistedText) ?? [];
  if (id === undefined || screen === undefined || hours === undefined) return null;
  return { device: { id: `a:${id}`, confidence: 'MEDIUM' }, screen, timezoneHours: Number(hours) };
}
