/** Which licences may ship, what components of versions state, and the notice of a version. */
export { registerLicenceRoutes } from './routes.ts'
export { countFailing } from './service.ts'
