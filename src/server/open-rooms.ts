import { roomsOf } from './default-rooms.ts';
import type { OpenRoom, Room, RoomParts } from './rooms.ts';

/**
 * Opens the rooms that the configuration asks for, and others: one after the other, so that where one cannot be opened those
 * before it are known, and end.
 *
 * @param doors gets what ends each of them
 */
export async function openRooms(
  parts: RoomParts,
  doors: (() => unknown)[],
  others: readonly OpenRoom[] = [],
): Promise<readonly Room[]> {
  const rooms: Room[] = [];
  for (const open of [...(await roomsOf(parts.config)), ...others]) {
    const room = await open(parts);
    if (room === null) continue;
    rooms.push(room);
    doors.push(() => room.close?.());
  }
  return rooms;
}

/**
 * Starts their listeners. Waits for all of them also where one fails: one that is still on its way could not be ended.
 *
 * @returns a line for people from each that listens
 */
export async function startRooms(rooms: readonly Room[]): Promise<readonly string[]> {
  const started = await Promise.allSettled(rooms.map(async (room) => room.start?.()));
  return started.flatMap((result) => {
    if (result.status === 'rejected') throw result.reason;
    return result.value ?? [];
  });
}
