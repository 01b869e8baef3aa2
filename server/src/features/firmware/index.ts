export {
  type AffectedDevices,
  listAffectedDevices,
  NO_AFFECTED_DEVICES,
  readAffectedDevices,
  sumDeviceCounts,
} from './affected-devices-store.ts'
export { firmwareRoutes } from './routes.ts'
export { affectedDevicesFields, firmwareMessages, FirmwareVersionsDeleted } from './schemas.ts'
export { getFirmwareVersion } from './service.ts'
export {
  lockFirmwareVersion,
  lockFirmwareVersions,
  lockVersionNames,
  shareVersionNames,
} from './store.ts'
export { firmwareProblems } from './problems.ts'
