import { describe, expect, it, vi } from 'vitest';
import type { SetStage } from './adapter-conformance.ts';

/** Settlement comes after the answer: it is waited for. */
const soon = { timeout: 5_000, interval: 10 };

export function testSettlement(setStage: SetStage): void {
  describe('settlement', () => {
    it('is by what the handler says', async () => {
      const stage = await setStage();
      await stage.ask('/settle/0');
      await vi.waitFor(async () => expect(await stage.remaining()).toBe(20), soon);
      await stage.ask('/settle/8');
      await vi.waitFor(async () => expect(await stage.remaining()).toBe(12), soon);
    });

    it('gives failed calls back where they do not count', async () => {
      const stage = await setStage({ options: { skipFailedRequests: true } });
      await stage.ask('/status/404');
      await stage.ask('/throw');
      await vi.waitFor(async () => expect(await stage.remaining()).toBe(20), soon);
      await stage.ask('/status/201');
      expect(await stage.remaining()).toBe(19);
    });

    it('gives a call back whose handler throws past the adapter', async () => {
      const stage = await setStage({ options: { skipFailedRequests: true } });
      expect((await stage.ask('/throw/past')).status).toBe(500);
      await vi.waitFor(async () => expect(await stage.remaining()).toBe(20), soon);
      const charged = await setStage({ options: { skipSuccessfulRequests: true } });
      await charged.ask('/throw/past');
      expect(await charged.remaining()).toBe(19);
    });

    it('gives successful calls back where they do not count', async () => {
      const stage = await setStage({ options: { skipSuccessfulRequests: true } });
      await stage.ask('/status/302');
      await stage.ask('/stream');
      await vi.waitFor(async () => expect(await stage.remaining()).toBe(20), soon);
      await stage.ask('/status/500');
      expect(await stage.remaining()).toBe(19);
    });

    it('gives nothing to a call that was refused', async () => {
      const stage = await setStage({ options: { skipFailedRequests: true } });
      for (let i = 0; i < 20; i += 1) await stage.ask('/list');
      for (let i = 0; i < 5; i += 1) expect((await stage.ask('/list')).status).toBe(429);
      expect(await stage.remaining()).toBe(0);
    });

    it('takes a client that went away for a failure', async () => {
      const stage = await setStage({ options: { skipFailedRequests: true } });
      let abort = () => {};
      const gone = stage.ask('/late', {
        onOpen: (end) => {
          abort = end;
        },
      });
      const settled = gone.then(
        () => 'answered',
        () => 'aborted',
      );
      await stage.late.started;
      expect(await stage.remaining()).toBe(19);
      abort();
      expect(await settled).toBe('aborted');
      // The server hears of it a moment later; a handler that answers before that has not been left alone.
      await new Promise((resolve) => setTimeout(resolve, 500));
      stage.late.answer();
      await vi.waitFor(async () => expect(await stage.remaining()).toBe(20), soon);
    });

    it('charges a client that went away where failures count', async () => {
      const stage = await setStage();
      let abort = () => {};
      const gone = stage.ask('/late', {
        onOpen: (end) => {
          abort = end;
        },
      });
      const settled = gone.catch(() => null);
      await stage.late.started;
      abort();
      await settled;
      stage.late.answer();
      expect((await stage.ask('/list')).headers.ratelimit).toBe('"default";r=18;t=1');
    });
  });
}
