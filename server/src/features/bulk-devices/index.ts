export { registerBulkDeviceRoutes } from './routes.ts'
export { DeviceSelectionCommand } from './schemas.ts'
export { type DeviceSelection, selectDevices } from './selection-service.ts'
