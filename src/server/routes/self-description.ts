import Type from 'typebox';
import type { Metrics } from '../../telemetry/metrics.ts';
import { openApi } from '../http/openapi.ts';
import { jsonText } from '../http/send-answer.ts';
import type { Route } from '../route.ts';

/** `GET /metrics`, for Prometheus. */
export function metricsRoutes(metrics: Metrics): Route[] {
  return [
    {
      method: 'GET',
      path: '/metrics',
      summary: 'Numbers for Prometheus. No label holds what a client sent.',
      role: 'observe',
      answers: { 200: Type.String({ contentMediaType: 'text/plain' }) },
      handle: async () => ({
        status: 200,
        headers: { 'Content-Type': metrics.contentType },
        body: await metrics.text(),
      }),
    },
  ];
}

/** `GET /openapi.json`, made from the routes themselves; made once, when it is first asked for. */
export function openApiRoutes(routes: () => readonly Route[], version: string): Route[] {
  let text: string | null = null;
  return [
    {
      method: 'GET',
      path: '/openapi.json',
      summary: 'This description.',
      role: null,
      answers: { 200: Type.Object({}) },
      handle: () => {
        text ??= JSON.stringify(openApi(routes(), version));
        return jsonText(text);
      },
    },
  ];
}
