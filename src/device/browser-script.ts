import { createHash } from 'node:crypto';
import { assistedCookie } from './assisted-device.ts';

/**
 * A script for sign-in pages. It keeps a random id in the browser's own storage and tells it, with the size of the
 * screen and the time zone in coarse steps, in a cookie and as `window.portcullisDevice` for the header
 * `x-portcullis-device`. It looks at nothing else: no canvas, audio, WebGL or fonts. Where storage is denied it does
 * nothing, since an id that is new each time would look like an attack.
 */
export const deviceScript = `(() => {
  const fresh = () =>
    btoa(String.fromCharCode(...crypto.getRandomValues(new Uint8Array(16))))
      .replace(/\\+/g, '-').replace(/\\//g, '_').replace(/=/g, '');
  let id;
  try {
    id = localStorage.getItem('portcullis-device-id');
    if (!/^[\\w-]{22}$/.test(id || '')) {
      id = fresh();
      localStorage.setItem('portcullis-device-id', id);
    }
  } catch {
    return;
  }
  const sides = [screen.width, screen.height].map((side) => Math.round(side / 200) * 200).sort((a, b) => b - a);
  const hours = Math.round(-new Date().getTimezoneOffset() / 60);
  window.portcullisDevice = '1.' + id + '.' + sides.join('x') + '.' + hours;
  document.cookie = '${assistedCookie}=' + window.portcullisDevice + '; path=/; max-age=31536000; samesite=lax' +
    (location.protocol === 'https:' ? '; secure' : '');
})();`;

/** For a content security policy: `script-src '…'` lets this script run inline, and no other. */
export const deviceScriptHash = `sha256-${createHash('sha256').update(deviceScript).digest('base64')}`;
