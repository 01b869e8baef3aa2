export { type AffectedDevices, NO_AFFECTED_DEVICES } from './affected-devices.ts'
export { affectedDevicesFields } from './affected-devices-schemas.ts'
export {
  listAffectedDevices,
  readAffectedDevices,
  sumDeviceCounts,
} from './affected-devices-store.ts'
export { firmwareRoutes } from './routes.ts'
export { firmwareMessages, FirmwareVersionsDeleted } from './schemas.ts'
export { getFirmwareVersion, type VersionsNamed } from './service.ts'
export { lockFirmwareVersion, lockFirmwareVersions, shareVersionNames } from './store.ts'
