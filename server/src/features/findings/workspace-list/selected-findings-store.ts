/** The findings that a filter over the workspace selects, one for each firmware version, for decisions about all of them. */
import { type RawBuilder, sql } from 'kysely'
import { OPEN_ASSESSMENTS } from '../../../formats/assessments.ts'
import type { FindingKey } from '../../../formats/finding-id.ts'
import type { Db } from '../../../platform/db/connect.ts'
import { joinAll, joinAny } from '../../../platform/db/conditions.ts'
import { assessment } from '../as-of-store.ts'
import { parseDetectedSince } from '../list/store.ts'
import { proposedFindings } from '../proposals-store.ts'
import { selectDeclaredMembers } from './match-sets-store.ts'
import { type FilterScope, meetsFindingFilter, isInVersions, meetsFilter } from './filter-store.ts'

/** The first instant at which the version held the package while it matched. */
const detectedAtIn = (workspaceId: string) => sql`(
  select min(greatest(held.since, seen.since))
  from firmware_version_packages as held
  join package_matches as seen on seen.package_id = held.package_id
  where held.workspace_id = ${workspaceId} and held.firmware_version_id = fact.firmware_version_id
    and held.package_id = fact.package_id and seen.vulnerability_id = match.vulnerability_id
    and greatest(held.since, seen.since)
      < least(coalesce(held.until, 'infinity'), coalesce(seen.until, 'infinity')))`

function isProposed({ workspaceId, filter }: FilterScope): RawBuilder<unknown> {
  const inVersions = (filter.firmwareVersionIds ?? []).map(
    (firmwareVersionId) => sql`(fact.firmware_version_id = ${firmwareVersionId}::uuid
      and (fact.package_id, match.vulnerability_id) in (${proposedFindings({ workspaceId, firmwareVersionId })}))`,
  )
  return sql`(${assessment} = any(${[...OPEN_ASSESSMENTS]}::text[]) and ${joinAny(inVersions)})`
}

/** The part of the filter that is the same for all findings of a match. */
function matchFilter({ filter, ...scope }: FilterScope): FilterScope {
  const told = 'severities exploited knownCisaExploit disputed cveIds fuzzing withoutFuzzing'
  const given = Object.entries(filter).filter(([name]) => told.split(' ').includes(name))
  return { ...scope, filter: Object.fromEntries(given) }
}

/** Unsorted, so that a selection beyond the limit is refused without finding and sorting all of it. */
export async function listSelectedKeys(
  db: Db,
  scope: FilterScope,
  { proposed, limit }: { proposed: boolean | undefined; limit: number },
): Promise<FindingKey[]> {
  const { workspaceId, filter } = scope
  const { components, confidences, detectedSince } = filter
  const { rows } = await sql<FindingKey>`
    select fact.firmware_version_id, fact.package_id, match.vulnerability_id
    from workspace_matches as match
    join package_matches as open on open.package_id = match.package_id
      and open.vulnerability_id = match.vulnerability_id and open.until is null
    join firmware_version_packages as fact
      on fact.workspace_id = ${workspaceId} and fact.package_id = match.package_id and fact.until is null
    left join finding_decisions as decision on decision.workspace_id = ${workspaceId}
      and decision.firmware_version_id = fact.firmware_version_id and decision.package_id = fact.package_id
      and decision.vulnerability_id = match.vulnerability_id
    where match.workspace_id = ${workspaceId} and ${meetsFilter(matchFilter(scope))}
      and ${isInVersions('fact', scope)} and ${meetsFindingFilter(scope, 'open.confidence')}
      and ${joinAll([
        confidences && sql`open.confidence = any(${confidences}::text[])`,
        // The component must be in the version itself, not only in another version that holds the package.
        components &&
          joinAny(
            components.map(
              (one) =>
                sql`exists (select from ${selectDeclaredMembers(workspaceId, one)}
                  and member.package_id = fact.package_id and sbom.firmware_version_id = fact.firmware_version_id)`,
            ),
          ),
        detectedSince !== undefined &&
          sql`${detectedAtIn(workspaceId)} >= ${parseDetectedSince(detectedSince)}`,
        proposed !== undefined && sql`${isProposed(scope)} = ${proposed}`,
      ])}
    limit ${limit}`.execute(db)
  return rows
}
