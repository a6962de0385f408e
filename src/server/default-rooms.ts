import type { ServiceConfig } from '../config/service-config.ts';
import type { OpenRoom } from './rooms.ts';

/** The rooms that a configuration asks for. What a room stands on is loaded only when it is asked for. */
export async function roomsOf({ listen, kratos }: ServiceConfig): Promise<readonly OpenRoom[]> {
  const rooms: OpenRoom[] = [];
  if (listen.grpcPort !== null) rooms.push((await import('./grpc/grpc-room.ts')).openGrpcRoom);
  if (listen.spoePort !== null) rooms.push((await import('./spoe/spoe-room.ts')).openSpoeRoom);
  if (kratos !== null) rooms.push((await import('./kratos/kratos-room.ts')).openKratosRoom);
  return rooms;
}
