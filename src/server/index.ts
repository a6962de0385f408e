export type { ConfigChange } from '../config/config-change.ts';
export { type ConfigSource, readServiceConfig } from '../config/read-service-config.ts';
export type { ServiceConfig } from '../config/service-config.ts';
export { type ConfigWatcher, type WatchOptions, watchServiceConfig } from '../config/watch-service-config.ts';
export { createLog, type Log, type LogOptions } from '../telemetry/log.ts';
export type { OpenRoom, Room, RoomParts } from './rooms.ts';
export type { Role, Route, RouteAnswer, RouteCall } from './route.ts';
export { createService, type Service, type ServiceAddress } from './service.ts';
export type { ServiceParts } from './service-parts.ts';
