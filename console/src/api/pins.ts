import { isObject, numberOf } from '../feed/feed-line.ts';
import { ask, ServiceProblem } from './client.ts';
import { listIn, type Note } from './operating.ts';
import { type Pin, type PinForm, pinOrder, readPin } from './pin-order.ts';
import { storeClock } from './service-clock.ts';

/** Null where the service has no pins at all. */
export async function readPins(): Promise<{ readonly pins: readonly Pin[] | null }> {
  try {
    const answer = await ask('GET', 'v1/pins');
    const at = isObject(answer) ? numberOf(answer.at) : 0;
    if (at > 0) storeClock.note(at);
    return { pins: listIn(answer, 'pins').flatMap(readPin) };
  } catch (cause) {
    if (cause instanceof ServiceProblem && cause.status === 404) return { pins: null };
    throw cause;
  }
}

export async function putPin(form: PinForm, note: Note): Promise<void> {
  const { path, body } = pinOrder(form);
  await ask('PUT', path, { ...body, ...note });
}

/** False when it had ended already. */
export async function removePin(name: string, note: Note): Promise<boolean> {
  const answer = await ask('DELETE', `v1/pins/${encodeURIComponent(name)}`, note);
  return isObject(answer) && answer.removed === true;
}
