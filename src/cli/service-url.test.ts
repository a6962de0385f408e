import { describe, expect, it } from 'vitest';
import { serviceUrl } from './service-url.ts';

describe('the URL of a service', () => {
  it.each([
    ['http://127.0.0.1:8470', 'http://127.0.0.1:8470/v1/status'],
    ['https://ops.example/guard', 'https://ops.example/guard/v1/status'],
    ['https://ops.example/guard/', 'https://ops.example/guard/v1/status'],
  ])('leads to its routes, also under a prefix: %s', (text, route) => {
    expect(new URL('v1/status', serviceUrl(text)).href).toBe(route);
  });

  it.each(['', 'localhost:8470', 'ftp://ops.example', '/v1'])('is refused by name: %j', (text) => {
    expect(() => serviceUrl(text)).toThrow(
      expect.objectContaining({ code: 'INPUT_INVALID', message: expect.stringContaining('--url must be') }),
    );
  });
});
