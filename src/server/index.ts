export type { ServiceConfig } from '../config/service-config.ts';
export type { OpenRoom, Room, RoomParts } from './rooms.ts';
export type { Role, Route, RouteAnswer, RouteCall } from './route.ts';
export { createService, type Service, type ServiceAddress, type ServiceParts } from './service.ts';
