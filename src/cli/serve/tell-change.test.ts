import { describe, expect, it } from 'vitest';
import { changeBetween } from '../../config/config-change.ts';
import { readServiceConfig } from '../../config/read-service-config.ts';
import type { ServiceConfig } from '../../config/service-config.ts';
import { createLog } from '../../telemetry/log.ts';
import { tellChange } from './tell-change.ts';

const plain = readServiceConfig({ env: {} });
const guarded: ServiceConfig = {
  ...plain,
  tokens: [{ name: 'alice', role: 'operate', sha256: '0'.repeat(64) }],
};

/** Level and words of each line that is told. */
function told(running: ServiceConfig, next: ServiceConfig): string[] {
  const lines: string[] = [];
  const log = createLog({ level: 'trace', destination: { write: (line) => void lines.push(line) } });
  tellChange(changeBetween(running, next), log);
  return lines.map((line) => {
    const { level, msg, fields } = JSON.parse(line);
    return `${level} ${msg}${fields === undefined ? '' : ` [${fields.join(' ')}]`}`;
  });
}

describe('a configuration that was read again', () => {
  it('is told with what was taken over and what needs a restart', () => {
    expect(told(plain, { ...plain, trustedProxies: ['192.0.2.1'], console: { enabled: false } })).toEqual([
      'info the configuration was taken over [trustedProxies]',
      'warn a restart is needed to take these over [console]',
    ]);
  });

  it('that changes nothing is told as well: somebody has asked', () => {
    expect(told(plain, plain)).toEqual(['info the configuration was taken over []']);
  });

  it('is not said to be taken over where nothing of it was', () => {
    expect(told(plain, { ...plain, environment: 'prod', trustedProxies: ['192.0.2.1'] })).toEqual([
      'warn a restart is needed to take these over [environment trustedProxies]',
    ]);
  });

  it('that takes the last token away is warned of: from then on nobody on this machine needs one', () => {
    expect(told(guarded, plain)).toEqual([
      'info the configuration was taken over [tokens]',
      'warn there are no tokens any more: everybody on this machine is let in, and nobody else',
    ]);
    expect(told(plain, guarded)).toEqual(['info the configuration was taken over [tokens]']);
  });
});
