/** Selects findings for bulk decisions, and reads their states. */
import { type RawBuilder, sql } from 'kysely'
import type { Db } from '../../../platform/db/connect.ts'
import { parseInstant } from '../../../formats/instants.ts'
import { heldAt } from '../../findings/index.ts'
import type { Assessment, PreviousDecision } from '../../findings/index.ts'
import { any, assessment, ignored, SINCE } from '../../findings/index.ts'
import type { FindingKey } from '../../findings/index.ts'
import { OPEN_ASSESSMENTS } from '../../findings/index.ts'
import { proposedFindings } from '../../findings/index.ts'
import {
  findingCondition,
  matchConditions,
  namedJoins,
  packageConditions,
  versionsInScope,
  type WorkspaceFindingFilter,
} from '../../findings/index.ts'

export interface BulkFilter extends WorkspaceFindingFilter {
  proposed?: boolean
}

interface BulkQuery {
  workspaceId: string
  filter: BulkFilter
  at: Date
}

/** The first instant at which the version held the package while it matched. */
const detectedAtIn = (workspaceId: string) => sql`(
  select min(greatest(held.since, seen.since))
  from firmware_version_packages as held
  join package_matches as seen on seen.package_id = held.package_id
  where held.workspace_id = ${workspaceId} and held.firmware_version_id = fact.firmware_version_id
    and held.package_id = fact.package_id and seen.vulnerability_id = match.vulnerability_id
    and greatest(held.since, seen.since)
      < least(coalesce(held.until, 'infinity'), coalesce(seen.until, 'infinity')))`

/** All findings that hold and meet the filter. */
function selected({ workspaceId, filter, at }: BulkQuery): RawBuilder<unknown> {
  const moment = { at, isPast: false }
  const query = { workspaceId, filter, moment }
  const { components, detectedSince, proposed, firmwareVersionIds = [] } = filter
  const condition = findingCondition(query)
  return sql`
    from workspace_packages as owned
    join package_matches as match on match.package_id = owned.package_id
    join firmware_version_packages as fact
      on fact.workspace_id = owned.workspace_id and fact.package_id = owned.package_id
    left join finding_decisions as decision on decision.workspace_id = fact.workspace_id
      and decision.firmware_version_id = fact.firmware_version_id and decision.package_id = fact.package_id
      and decision.vulnerability_id = match.vulnerability_id
    ${namedJoins(query)}
    where owned.workspace_id = ${workspaceId} and ${heldAt('fact', moment)} and ${heldAt('match', moment)}
      ${versionsInScope('fact', query)} ${packageConditions(query)} ${matchConditions(query)}
      ${condition ? sql`and ${condition}` : sql``}
      ${components ? sql`and ${any(components.map((member) => hasMember(workspaceId, member)))}` : sql``}
      ${detectedSince === undefined ? sql`` : sql`and ${detectedAtIn(workspaceId)} >= ${parseInstant(detectedSince, SINCE)}::timestamptz`}
      ${proposed === undefined ? sql`` : sql`and ${isProposed(workspaceId, firmwareVersionIds)} = ${proposed}`}`
}

/** The component must be in the version itself, not only in another version that holds the package. */
function hasMember(
  workspaceId: string,
  { vendor, packageName, version }: NonNullable<BulkFilter['components']>[number],
): RawBuilder<unknown> {
  return sql`exists (
    select from sbom_components as member
    join sboms as sbom on sbom.workspace_id = member.workspace_id and sbom.id = member.sbom_id
    where member.workspace_id = ${workspaceId} and member.package_id = fact.package_id
      and sbom.firmware_version_id = fact.firmware_version_id and sbom.parsing_state = 'Succeeded'
      ${vendor === undefined ? sql`` : sql`and member.vendor = ${vendor}`}
      ${packageName === undefined ? sql`` : sql`and member.package_name = ${packageName}`}
      ${version === undefined ? sql`` : sql`and member.version = ${version}`})`
}

function isProposed(
  workspaceId: string,
  firmwareVersionIds: readonly string[],
): RawBuilder<unknown> {
  const inVersions = firmwareVersionIds.map(
    (firmwareVersionId) => sql`(fact.firmware_version_id = ${firmwareVersionId}::uuid
      and (fact.package_id, match.vulnerability_id) in (${proposedFindings({ workspaceId, firmwareVersionId })}))`,
  )
  return sql`(${assessment} = any(${[...OPEN_ASSESSMENTS]}::text[]) and ${any(inVersions)})`
}

/** Unsorted, so that a selection beyond the limit is refused without finding and sorting all of it. */
export async function listSelectedKeys(
  db: Db,
  query: BulkQuery & { limit: number },
): Promise<FindingKey[]> {
  const { rows } = await sql<FindingKey>`
    select fact.firmware_version_id, fact.package_id, match.vulnerability_id
    ${selected(query)} limit ${query.limit}`.execute(db)
  return rows
}

/** The fields that a bulk decision sets. */
export interface BulkChange {
  assessment?: Assessment
  justification?: string | null
  detail?: string | null
  responses?: readonly string[]
  ignored?: boolean
}

export interface RepeatableFinding extends FindingKey {
  assessment: Assessment
  previousDecision: PreviousDecision | null
}

/** The findings in the order of the keys, with what was decided before. */
export async function listPreviousDecisions(
  db: Db,
  workspaceId: string,
  keys: readonly FindingKey[],
): Promise<RepeatableFinding[]> {
  const { rows } = await sql<RepeatableFinding>`
    select named.firmware_version_id, named.package_id, named.vulnerability_id, ${assessment} as assessment,
      decision.previous_decision
    from ${namedKeys(keys)}
    left join finding_decisions as decision on decision.workspace_id = ${workspaceId}
      and decision.firmware_version_id = named.firmware_version_id and decision.package_id = named.package_id
      and decision.vulnerability_id = named.vulnerability_id
    order by place`.execute(db)
  return rows
}

const namedKeys = (keys: readonly FindingKey[]) =>
  sql`unnest(${keys.map((_, index) => index)}::int[], ${keys.map((key) => key.firmwareVersionId)}::uuid[],
      ${keys.map((key) => key.packageId)}::uuid[], ${keys.map((key) => key.vulnerabilityId)}::text[])
      as named (place, firmware_version_id, package_id, vulnerability_id)`

export interface FindingState {
  assessment: Assessment
  isChanged: boolean
}

/** The state of each finding in the order of the keys, and whether the decision would change it. */
export async function listStates(
  db: Db,
  workspaceId: string,
  { keys, change }: { keys: readonly FindingKey[]; change: BulkChange },
): Promise<FindingState[]> {
  const { justification = null, detail = null, responses = [] } = change
  const isChanged =
    change.assessment === undefined
      ? sql`${ignored} <> ${change.ignored ?? false}`
      : sql`decision.recheck_reason is not null or (${assessment}, decision.justification, decision.detail,
          coalesce(decision.responses, '{}'))
        is distinct from (${change.assessment}, ${justification}, ${detail}, ${responses}::text[])`
  const { rows } = await sql<FindingState>`
    select ${assessment} as assessment, ${isChanged} as is_changed
    from ${namedKeys(keys)}
    left join finding_decisions as decision on decision.workspace_id = ${workspaceId}
      and decision.firmware_version_id = named.firmware_version_id and decision.package_id = named.package_id
      and decision.vulnerability_id = named.vulnerability_id
    order by place`.execute(db)
  return rows
}
