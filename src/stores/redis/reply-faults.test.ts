import { describe, expect, test } from 'vitest';
import { Fault } from '../../core/fault.ts';
import { faultOf, isScriptMissing, meaningOf } from './reply-faults.ts';

describe('errors of Redis', () => {
  test.each([
    ["READONLY You can't write against a read only replica.", 'STORE_FAILED'],
    ['LOADING Redis is loading the dataset in memory', 'STORE_FAILED'],
    ['CLUSTERDOWN Hash slot not served', 'STORE_FAILED'],
    ["OOM command not allowed when used memory > 'maxmemory'.", 'STORE_FULL'],
    ['-OOM command not allowed', 'STORE_FULL'],
    ['WRONGTYPE Operation against a key holding the wrong kind of value', 'RECORD_CORRUPT'],
    ['An error was signalled by the server: - ReadOnly: You cannot write', 'STORE_FAILED'],
    ['Connection is closed.', 'STORE_FAILED'],
    ['', 'STORE_FAILED'],
  ])('%j is %s', (message, code) => {
    const cause = new Error(message);
    expect(faultOf(cause)).toMatchObject({ code, cause });
  });

  test('that say a library gave up waiting are timeouts', () => {
    const error = Object.assign(new Error('timed out'), { name: 'TimeoutError' });
    expect(faultOf(error)).toMatchObject({ code: 'STORE_TIMEOUT' });
  });

  test.each([
    "NOPERM this user has no permissions to run the 'mget' command",
    "ERR The user executing the script can't run this command or subcommand script: f_0a1b, on @user_script:16.",
    "ERR The user executing the script can't access at least one of the keys mentioned in the command",
  ])('%j is what the user may not do', (message) => {
    expect(faultOf(new Error(message))).toMatchObject({
      code: 'STORE_FAILED',
      message: 'The user of the connection may not do this.',
    });
  });

  test('that are faults already stay what they are', () => {
    const fault = new Fault('STORE_CLOSED', 'closed');
    expect(faultOf(fault)).toBe(fault);
  });

  test('that pass by themselves, or tell of a lost master, are told apart', () => {
    expect(meaningOf(new Error('TRYAGAIN Multiple keys request during rehashing of slot'))).toMatchObject({
      isPassing: true,
    });
    expect(meaningOf(new Error('READONLY replica'))).toMatchObject({ isLostMaster: true });
    const before7 = 'ERR Error running script (call to f_0a1b): @user_script:35: @user_script: 35: -';
    expect(
      meaningOf(new Error(`${before7}READONLY You can't write against a read only replica.`)),
    ).toMatchObject({
      isLostMaster: true,
    });
    expect(meaningOf(new Error(`${before7}OOM command not allowed`))).toMatchObject({ code: 'STORE_FULL' });
    expect(meaningOf(new Error('no error at all'.toUpperCase()))).toMatchObject({ code: 'STORE_FAILED' });
    expect(meaningOf('no error at all')).toMatchObject({ code: 'STORE_FAILED' });
  });

  test('about a missing script are known from every library', () => {
    expect(isScriptMissing(new Error('NOSCRIPT No matching script. Please use EVAL.'))).toBe(true);
    expect(
      isScriptMissing(
        new Error('An error was signalled by the server: - NoScriptError: No matching script.'),
      ),
    ).toBe(true);
    expect(isScriptMissing(new Error('ERR other'))).toBe(false);
    expect(isScriptMissing(null)).toBe(false);
  });
});
