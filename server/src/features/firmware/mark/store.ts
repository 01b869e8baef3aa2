/** Reads what marks are drawn from: kept counters and the states of SBOMs, no findings. */
import { type RawBuilder, sql } from 'kysely'
import { ADVISORY_SOURCES } from '../../../formats/advisories/model.ts'
import type { Db } from '../../../platform/db/connect.ts'
import type { MarkFacts } from './mark.ts'

interface Versions {
  workspaceId: string
  firmwareVersionIds: readonly string[]
}

/** `read`: the states of the SBOMs of the workspace's firmware versions, or of some of them. */
export const readSboms = (workspaceId: string, ofVersions: RawBuilder<unknown> = sql``) => sql`(
  select sbom.firmware_version_id, count(*)::int as sboms,
    (count(*) filter (where sbom.parsing_state = 'InProgress'
      or (sbom.parsing_state = 'Succeeded' and sbom.vulnerabilities_parsed_at is null)))::int as pending_sboms,
    (count(*) filter (where sbom.parsing_state = 'Failed'))::int as failed_sboms
  from sboms as sbom where sbom.workspace_id = ${workspaceId} ${ofVersions}
  group by sbom.firmware_version_id) as read`

/** The values that `factsOf` reads, of `counters` and `read`, each of which may be missing. */
export const markValues = sql`json_build_array(
  coalesce(counters.exploited, 0), coalesce(counters.undecided_critical, 0), coalesce(counters.undecided_high, 0),
  coalesce(counters.unknown, 0),
  coalesce(counters.judged_components, 0), coalesce(counters.silent_components, 0),
  coalesce(read.sboms, 0), coalesce(read.pending_sboms, 0), coalesce(read.failed_sboms, 0),
  (select count(*)::int from vulnerability_sources
    where last_success_at is not null and source = any(${[...ADVISORY_SOURCES]}::text[])))`

/** The facts of `markValues`. */
export function readMarkFacts(values: readonly number[]): MarkFacts {
  const [exploited = 0, undecidedCritical = 0, undecidedHigh = 0, ...rest] = values
  const [unknownSeverity = 0, judgedComponents = 0, silentComponents = 0, ...ofSboms] = rest
  const [sboms = 0, pendingSboms = 0, failedSboms = 0, synced = 0] = ofSboms
  return {
    exploited,
    undecidedCritical,
    undecidedHigh,
    unknownSeverity,
    judgedComponents,
    silentComponents,
    sboms,
    pendingSboms,
    failedSboms,
    isSynced: synced > 0,
  }
}

/** Answers one entry per id, in the order of the ids. */
export async function listMarkFacts(db: Db, versions: Versions): Promise<MarkFacts[]> {
  const { workspaceId, firmwareVersionIds } = versions
  if (firmwareVersionIds.length === 0) return []
  const ids = sql`${[...new Set(firmwareVersionIds)]}::uuid[]`
  const ofVersions = sql`and sbom.firmware_version_id = any(${ids})`
  const { rows } = await sql<{ id: string; values: number[] }>`
    select asked.id, ${markValues} as values
    from unnest(${ids}) as asked (id)
    left join firmware_version_counters as counters
      on counters.workspace_id = ${workspaceId} and counters.firmware_version_id = asked.id
    left join ${readSboms(workspaceId, ofVersions)} on read.firmware_version_id = asked.id`.execute(
    db,
  )
  const byId = new Map(rows.map(({ id, values }) => [id, readMarkFacts(values)]))
  return firmwareVersionIds.map((id) => byId.get(id) ?? readMarkFacts([]))
}
