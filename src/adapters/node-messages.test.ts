import { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import { describe, expect, it } from 'vitest';
import { visitOf } from './node-messages.ts';

const newResponse = () => new ServerResponse(new IncomingMessage(new Socket()));

describe('a visit', () => {
  it('has ended when the connection was gone before anybody watched', async () => {
    const response = newResponse();
    response.destroy();
    const { caller, ended } = visitOf(response);
    expect(caller.aborted).toBe(true);
    expect(await ended).toBe('failed');
  });

  it('fails when the connection goes before the answer', async () => {
    const response = newResponse();
    const { caller, ended } = visitOf(response);
    expect(caller.aborted).toBe(false);
    response.emit('close');
    expect(await ended).toBe('failed');
    expect(caller.aborted).toBe(true);
  });

  it('is done when the answer was sent, and nobody has left', async () => {
    const response = newResponse();
    const { caller, ended } = visitOf(response);
    response.emit('finish');
    response.emit('close');
    expect(await ended).toBe('done');
    expect(caller.aborted).toBe(false);
  });
});
