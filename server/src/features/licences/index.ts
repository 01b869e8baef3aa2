/** Which licences may ship, what components of versions state, and the notice of a version. */
export {
  type LicenceInVersion,
  listLicencesInVersions,
  listRuledFirmwares,
} from './alerts-service.ts'
export { compareLicences } from './comparison-service.ts'
export { countFailingLicences } from './failing-service.ts'
export { startLicenceCounts } from './counting-service.ts'
export { licenceChecks } from './checks-service.ts'
export { keepLicencesOfVersion } from './kept-store.ts'
export { listLicencesOfOutcomes, readLicenceJudge } from './judge-service.ts'
export { registerLicenceRoutes } from './routes.ts'
export { LicenceChange, LicenceCounts } from './schemas.ts'
export { countLicences, getVersionLicences } from './service.ts'
export type { FirmwareLicences } from './store.ts'
