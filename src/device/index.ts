export { type AssistedDevice, assistedCookie, assistedDevice, assistedHeader } from './assisted-device.ts';
export { deviceScript, deviceScriptHash } from './browser-script.ts';
export { createDevices, type Devices, type DevicesOptions, type IssuedDevice } from './devices.ts';
export { passiveDevice } from './passive-device.ts';
export type { HeaderReader, ShownDevice } from './shown-device.ts';
