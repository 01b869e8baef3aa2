/** Which licences may ship, what components of versions state, and the notice of a version. */
export { listLicencesOfOutcomes, readLicenceJudge } from './judge-service.ts'
export { registerLicenceRoutes } from './routes.ts'
export { LicenceCounts } from './schemas.ts'
export { countFailing, countLicences } from './service.ts'
export type { FirmwareLicences } from './store.ts'
