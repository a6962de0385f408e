import type { IncomingMessage } from 'node:http';

/** What proxies and the networks in front of sites add to a request, and browsers and tools on this machine do not. */
const signs =
  /^(?:forwarded|via|cdn-loop|x-forwarded(?:-.*)?|x-original-.*|x-envoy-.*|cf-.*|x-real-ip|x-client-ip|x-cluster-client-ip|true-client-ip|fastly-client-ip|x-amzn-trace-id)$/;

/**
 * Whether a request shows that it came through a proxy: by a header that only those write, or by HTTP/1.0, which is
 * what nginx speaks to what is behind it unless told otherwise. A proxy that adds nothing and speaks HTTP/1.1 looks
 * like any other program and cannot be seen.
 */
export function showsProxy({
  headers,
  httpVersion,
}: Pick<IncomingMessage, 'headers' | 'httpVersion'>): boolean {
  if (httpVersion === '1.0' || httpVersion === '0.9') return true;
  for (const name in headers) if (signs.test(name)) return true;
  return false;
}
