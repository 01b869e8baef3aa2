export { countFindings } from './counts-service.ts'
export { AffectedComponent, AffectedFirmwareVersion } from './detail/schemas.ts'
export {
  countLookedAt,
  type FindingsAt,
  type LookedAt,
  selectFindingsAt,
} from './detail/past-store.ts'
export {
  findKnownVulnerability,
  listFixes,
  readKnownVulnerability,
  readVulnerability,
} from './detail/service.ts'
export { countOwners } from './owner-counts-service.ts'
export { ListVulnerableComponentsCommand } from './components/schemas.ts'
export { registerVulnerabilityRoutes } from './routes.ts'
export { ListVulnerabilitiesCommand } from './schemas.ts'
