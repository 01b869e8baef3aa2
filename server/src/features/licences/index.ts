/** Which licences may ship, what components of versions state, and the notice of a version. */
export { compareLicences } from './comparison-service.ts'
export { listLicencesOfOutcomes, readLicenceJudge } from './judge-service.ts'
export { registerLicenceRoutes } from './routes.ts'
export { LicenceChange, LicenceCounts } from './schemas.ts'
export { countFailing, countLicences } from './service.ts'
export type { FirmwareLicences } from './store.ts'
