export { firmwareRoutes } from './routes.ts'
export { firmwareMessages, FirmwareVersionsDeleted } from './schemas.ts'
export { getFirmwareVersion } from './service.ts'
export { lockFirmwareVersion, lockFirmwareVersions } from './store.ts'
