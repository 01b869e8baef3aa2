export { completeRotation, fetchNextKey, tellRotations } from './device-service.ts'
export { startKeyAges } from './key-ages-service.ts'
export { deviceKeyProblems } from './problems.ts'
export { registerDeviceKeyRoutes } from './routes.ts'
