/**
 * The way of a record. `reading/` opens the files of a feed and cuts them into records, which child processes parse into rows. `staging/`
 * puts the rows into temporary tables of one session. `merging/` compares them with what is stored, in one transaction a source: it
 * writes what differs, links advisories that mean one vulnerability, and collects the keys whose packages have to be matched again.
 * `rating/` brings name, severity, score and known exploitation of the vulnerabilities up to date. `bundles/` writes all of it into a
 * file, and reads such a file, for services without a network.
 */
export { advisoryChecks } from './checks-store.ts'
export { checkBundle, writeBundle } from './bundles/service.ts'
export type { PartMarks, Withdrawals } from './merging/parts-store.ts'
export type { SourceImport } from './import-counts.ts'
export {
  advisoryMessages,
  ExploitedSources,
  IsDisputed,
  KnowledgeChanged,
  Severity as SeveritySchema,
  SupportProductsChanged,
} from './schemas.ts'
export { MERGE_STEPS, type MergeProgress, type OnMerging } from './merging/advisories-service.ts'
export { importFeeds } from './service.ts'
export { openStaging, type StagingSession } from './staging/store.ts'
export { findVulnerabilityId, listVulnerabilityIdsOf, pruneKnowledgeChanges } from './store.ts'
