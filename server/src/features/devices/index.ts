export {
  signalDesiredChange,
  signalDisconnect,
  signalRecheck,
  type DeviceSignal,
  listenToDeviceSignals,
} from './signals-store.ts'
export { registerConfigurationRoutes } from './configuration/routes.ts'
export { storeReportedConfigurations, issueDesiredConfigurations } from './configuration/service.ts'
export {
  authenticateByKey,
  type CertificateCredentials,
  type DeviceCredentials,
  type DeviceName,
  type DevicePrincipal,
  isDeviceId,
  recordKeyUse,
  refuseDeviceId,
  registerDevice,
} from './keys/auth-service.ts'
export type { KnownKey } from './keys/store.ts'
export { type DesiredState, type DeviceDoors, startIntake } from './intake/batches-service.ts'
export { deviceChecks } from './checks-store.ts'
export { deviceJobs, deviceMessages } from './configuration/jobs.ts'
export {
  beat,
  disconnectSilentGateways,
  disconnectGateway,
  sweepDeviceCounts,
  sweepPresenceChanges,
} from './presence/service.ts'
export {
  adoptNextKey,
  issueDeviceKey,
  issueNextKey,
  listAllDeviceKeys,
  listDeviceKeys,
  listFewDeviceKeys,
  recordCertificate,
  revokeDeviceKey,
  revokeSerial,
  takeRevocationList,
} from './keys/service.ts'
export { registerDeviceRoutes } from './routes.ts'
export { relinkDevices } from './service.ts'
export type { DevicesChanged, ReportBatch } from './reactions.ts'
export type { ConnectionEvent, DeviceReport } from './reactions.ts'
export { deviceProblems } from './problems.ts'
export { getDevice, removeDevices } from './service.ts'
export {
  type BlindSpotKind,
  countBlindSpots,
  countImageReports,
  NO_DEVICES,
} from './images/store.ts'
export { countKeyHolders } from './list/key-age-store.ts'
export { WORST, WORST_SEVERITY } from './list/store.ts'
export { type AskedFilter, listDevices, listFilteredIds } from './list/service.ts'
export { BlindSpotKinds } from './list/schemas.ts'
export {
  Device as DeviceSchema,
  DeviceFilter as DeviceFilterSchema,
  KeyRotationState,
  ListDevicesCommand,
  Tag as DeviceTagSchema,
} from './schemas.ts'
