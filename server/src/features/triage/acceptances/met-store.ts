/** Which acceptances have ended by what they say: read where something changed that they depend on. */
import { type RawBuilder, sql } from 'kysely'
import type { Acceptance, EndCause } from '../../../formats/acceptances.ts'
import type { FindingKey } from '../../../formats/finding-id.ts'
import type { Db } from '../../../platform/db/connect.ts'
import { type AffectedRow, listFixedVersions } from '../../matching/index.ts'

export interface AcceptedFinding extends FindingKey {
  acceptance: Acceptance
}

export interface MetAcceptance extends AcceptedFinding {
  causes: EndCause[]
}

/** Of which findings the acceptances are looked at. */
export type AcceptanceScope =
  | 'all'
  | { dueAt: string; limit: number }
  | { keys: readonly FindingKey[] }
  | { batchId: string }
  | { pairs: readonly Pick<FindingKey, 'packageId' | 'vulnerabilityId'>[] }

const keyTable = (keys: readonly FindingKey[]) => sql`
  unnest(${keys.map((key) => key.firmwareVersionId)}::uuid[], ${keys.map((key) => key.packageId)}::uuid[],
    ${keys.map((key) => key.vulnerabilityId)}::text[]) as asked (firmware_version_id, package_id, vulnerability_id)`

const batchTable = (workspaceId: string, batchId: string) => sql`(
  select distinct firmware_version_id, package_id, vulnerability_id from finding_timeline
  where workspace_id = ${workspaceId} and batch_id = ${batchId}) as asked`

/** The acceptances that hold. `offset 0` keeps the planner from reading all decisions of the workspace for a few. */
function selectAccepted(workspaceId: string, scope: AcceptanceScope): RawBuilder<unknown> {
  const columns = sql`decision.firmware_version_id, decision.package_id, decision.vulnerability_id, decision.acceptance`
  const holds = sql`decision.workspace_id = ${workspaceId} and decision.ignored and decision.acceptance is not null`
  if (scope === 'all')
    return sql`select ${columns} from finding_decisions as decision where ${holds}`
  if ('keys' in scope || 'batchId' in scope)
    return sql`
      select ${columns} from ${'keys' in scope ? keyTable(scope.keys) : batchTable(workspaceId, scope.batchId)}
      cross join lateral (
        select * from finding_decisions as each
        where each.workspace_id = ${workspaceId} and each.firmware_version_id = asked.firmware_version_id
          and each.package_id = asked.package_id and each.vulnerability_id = asked.vulnerability_id offset 0) as decision
      where ${holds}`
  if ('pairs' in scope)
    return sql`
      select ${columns}
      from unnest(${scope.pairs.map((pair) => pair.packageId)}::uuid[], ${scope.pairs.map((pair) => pair.vulnerabilityId)}::text[])
        as asked (package_id, vulnerability_id)
      join finding_decisions as decision on decision.package_id = asked.package_id
        and decision.vulnerability_id = asked.vulnerability_id
      where ${holds}`
  return sql`
    select ${columns} from finding_decisions as decision
    where ${holds} and (decision.acceptance ->> 'until') collate "C" <= ${scope.dueAt}
    order by (decision.acceptance ->> 'until') collate "C" limit ${scope.limit}`
}

/** Those of the scope that have ended by what they say, in the order of their keys. */
export async function listMetAcceptances(
  db: Db,
  { workspaceId, scope, now }: { workspaceId: string; scope: AcceptanceScope; now: Date },
): Promise<MetAcceptance[]> {
  return readMet(db, workspaceId, { accepted: selectAccepted(workspaceId, scope), now })
}

/** The same for acceptances that are about to be written. */
export async function listMetAtOnce(
  db: Db,
  {
    workspaceId,
    accepted,
    now,
  }: { workspaceId: string; accepted: readonly AcceptedFinding[]; now: Date },
): Promise<MetAcceptance[]> {
  const rows = accepted.map(({ firmwareVersionId, packageId, vulnerabilityId, acceptance }) => ({
    firmwareVersionId,
    packageId,
    vulnerabilityId,
    acceptance,
  }))
  const given = sql`
    select "firmwareVersionId" as firmware_version_id, "packageId" as package_id, "vulnerabilityId" as vulnerability_id, acceptance
    from json_to_recordset(${JSON.stringify(rows)}::json) as given ("firmwareVersionId" uuid, "packageId" uuid,
      "vulnerabilityId" text, acceptance jsonb)`
  return readMet(db, workspaceId, { accepted: given, now })
}

interface Asked {
  accepted: RawBuilder<unknown>
  now: Date
}

type MetRow = AcceptedFinding & { causes: EndCause[]; asksForFix: boolean }

/** What the database tells alone. Fixes are compared by the rules of version numbers, so those are asked apart. */
async function readMet(
  db: Db,
  workspaceId: string,
  { accepted, now }: Asked,
): Promise<MetAcceptance[]> {
  const condition = (name: string) => sql`accepted.acceptance -> 'conditions' ->> ${sql.lit(name)}`
  const { rows } = await sql<MetRow>`
    with accepted as materialized (${accepted}), running as materialized (
      select asked.firmware_version_id, sum(counts.devices) as devices
      from (
        select distinct firmware_version_id from accepted where ${condition('devicesAbove')} is not null
      ) as asked
      join firmware_set_device_counts as counts on counts.workspace_id = ${workspaceId}
        and counts.firmware_version_ids @> array[asked.firmware_version_id]
      group by asked.firmware_version_id
    ), judged as (
      select accepted.*, array_remove(array[
          case when (accepted.acceptance ->> 'until') collate "C" <= ${now.toISOString()} then 'Time' end,
          case when (${condition('knownExploited')})::boolean and exists (
            select from package_matches as match where match.package_id = accepted.package_id
              and match.vulnerability_id = accepted.vulnerability_id and match.until is null and match.is_exploited)
            then 'KnownExploited' end,
          case when epss.score > (${condition('epssAbove')})::real then 'EpssAbove' end,
          case when running.devices > (${condition('devicesAbove')})::bigint then 'DevicesAbove' end
        ], null) as causes, coalesce((${condition('fixAvailable')})::boolean, false) as asks_for_fix
      from accepted
      left join epss_scores as epss on epss.cve_id = accepted.vulnerability_id
      left join running on running.firmware_version_id = accepted.firmware_version_id
    )
    select firmware_version_id, package_id, vulnerability_id, acceptance, causes, asks_for_fix from judged
    where causes <> '{}' or asks_for_fix
    order by firmware_version_id, package_id, vulnerability_id`.execute(db)
  const fixed = await listFixedPairs(
    db,
    rows.filter((row) => row.asksForFix),
  )
  return rows.flatMap(({ asksForFix, causes, ...row }) => {
    const all =
      asksForFix && fixed.has(nameMatch(row)) ? [...causes, 'FixAvailable' as const] : causes
    return all.length === 0 ? [] : [{ ...row, causes: all }]
  })
}

type MatchKey = Pick<FindingKey, 'packageId' | 'vulnerabilityId'>

const nameMatch = ({ packageId, vulnerabilityId }: MatchKey) => `${packageId} ${vulnerabilityId}`

/** The matches of which a record says in which later version they end. */
async function listFixedPairs(db: Db, pairs: readonly MatchKey[]): Promise<Set<string>> {
  const wanted = [...new Map(pairs.map((pair) => [nameMatch(pair), pair])).values()]
  if (wanted.length === 0) return new Set()
  const { rows } = await sql<MatchKey & { version: string | null; affected: AffectedRow[] }>`
    select evidence.package_id, evidence.vulnerability_id,
      (select item ->> 'version' from jsonb_array_elements(evidence.evidence) as item
        where item ->> 'verdict' = 'affected' limit 1) as version,
      (select coalesce(json_agg(json_build_object('source', affected.source, 'advisoryId', affected.advisory_id,
          'key', affected.key, 'statements', affected.statements)), '[]')
        from advisory_affected as affected
        where (affected.source, affected.advisory_id, affected.key) in (
          select item ->> 'source', item ->> 'advisoryId', item ->> 'key'
          from jsonb_array_elements(evidence.evidence) as item)) as affected
    from unnest(${wanted.map((one) => one.packageId)}::uuid[], ${wanted.map((one) => one.vulnerabilityId)}::text[])
      as wanted (package_id, vulnerability_id)
    join package_matches as match on match.package_id = wanted.package_id
      and match.vulnerability_id = wanted.vulnerability_id and match.until is null
    join package_match_evidence as evidence
      on evidence.package_id = wanted.package_id and evidence.vulnerability_id = wanted.vulnerability_id`.execute(
    db,
  )
  return new Set(
    rows
      .filter(({ affected, version }) => listFixedVersions(affected, version).length > 0)
      .map(nameMatch),
  )
}

/** The workspaces in which an end has come. */
export async function listWorkspacesDue(db: Db, now: Date): Promise<string[]> {
  const { rows } = await sql<{ workspaceId: string }>`
    select distinct workspace_id from finding_decisions
    where ignored and (acceptance ->> 'until') collate "C" <= ${now.toISOString()}
    order by workspace_id`.execute(db)
  return rows.map(({ workspaceId }) => workspaceId)
}

/** The workspaces that wait for a fix of one of the packages. */
export async function listWorkspacesAwaitingFixes(
  db: Db,
  packageIds: readonly string[],
): Promise<string[]> {
  const { rows } = await sql<{ workspaceId: string }>`
    select distinct workspace_id from finding_decisions
    where package_id = any(${packageIds}::uuid[]) and ignored
      and acceptance -> 'conditions' ->> 'fixAvailable' = 'true'
    order by workspace_id`.execute(db)
  return rows.map(({ workspaceId }) => workspaceId)
}

export interface NewNotice extends AcceptedFinding {
  id: string
}

/** What owners have yet to be told of. */
export async function insertNotices(
  db: Db,
  {
    workspaceId,
    isEnded,
    rows,
    at,
  }: { workspaceId: string; isEnded: boolean; rows: readonly NewNotice[]; at: Date },
): Promise<void> {
  if (rows.length === 0) return
  const given = rows.map((row) => ({ ...row, ownerId: row.acceptance.owner?.id ?? null }))
  await sql`
    insert into acceptance_notices (workspace_id, id, created_at, is_ended, owner_id, firmware_version_id, package_id,
      vulnerability_id, acceptance)
    select ${workspaceId}::uuid, id, ${at}::timestamptz, ${isEnded}::boolean, "ownerId", "firmwareVersionId", "packageId",
      "vulnerabilityId", acceptance
    from json_to_recordset(${JSON.stringify(given)}::json) as given (id uuid, "ownerId" uuid, "firmwareVersionId" uuid,
      "packageId" uuid, "vulnerabilityId" text, acceptance jsonb)`.execute(db)
}
