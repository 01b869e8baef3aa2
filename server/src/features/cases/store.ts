/** Cases with what they are about, and their facts. */
import { sql } from 'kysely'
import type { CaseType } from '../../formats/law/clocks.ts'
import type { MemberState } from '../../formats/law/member-states.ts'
import type { Db, Tx } from '../../platform/db/connect.ts'
import type { CaseFact, FactDetail, FactKind } from './case-facts.ts'

export const CASE_ORIGINS = ['Finding', 'Person', 'Report'] as const

export interface CaseLine {
  id: string
  name: string
  manufacturer: string
  role: 'Manufacturer' | 'Steward'
  timeZone: string
  memberStates: MemberState[]
  coordinatorState: MemberState | null
}

export interface CaseRow {
  id: string
  type: CaseType
  title: string
  vulnerabilityId: string | null
  manufacturer: string
  isDrill: boolean
  origin: (typeof CASE_ORIGINS)[number]
  listedOn: string | null
  createdAt: Date
  createdByEmail: string | null
  lines: CaseLine[]
}

/** The newest first. The vulnerability has the id that it is known by now. */
export async function listCases(
  db: Db,
  workspaceId: string,
  { id, limit }: { id?: string; limit?: number },
): Promise<CaseRow[]> {
  const { rows } = await sql<CaseRow>`
    select held.id, held.type, held.title, coalesce(alias.vulnerability_id, held.vulnerability_id) as vulnerability_id,
      held.manufacturer, held.is_drill, held.origin, held.listed_on::text as listed_on, held.created_at,
      held.created_by_email, coalesce((
        select json_agg(json_build_object('id', line.id, 'name', line.name, 'manufacturer', line.manufacturer,
          'role', line.role, 'timeZone', line.time_zone, 'memberStates', line.member_states,
          'coordinatorState', line.coordinator_state) order by lower(line.name), line.id)
        from case_lines as part
        join product_lines as line on line.workspace_id = part.workspace_id and line.id = part.product_line_id
        where part.workspace_id = ${workspaceId} and part.case_id = held.id), '[]') as lines
    from cases as held
    left join vulnerability_aliases as alias on alias.alias = held.vulnerability_id
    where held.workspace_id = ${workspaceId} and ${id === undefined ? sql`true` : sql`held.id = ${id}`}
    order by held.created_at desc, held.id desc limit ${limit ?? null}`.execute(db)
  return rows
}

interface FactRow extends CaseFact {
  caseId: string
}

/** Oldest first, of one case or of all. Without reports' texts and drafts, which may be long, unless they are asked for. */
export async function listFacts(
  db: Db,
  workspaceId: string,
  { caseIds, hasTexts }: { caseIds: readonly string[]; hasTexts: boolean },
): Promise<FactRow[]> {
  const { rows } = await sql<FactRow>`
    select case_id, id, kind, recorded_at, by_type, by_id, by_email, instant, is_estimate,
      ${hasTexts ? sql`text` : sql`case when kind <> 'Report' then text end`} as text,
      ${hasTexts ? sql`detail` : sql`detail - 'fields'`} as detail, corrects_id
    from case_facts
    where workspace_id = ${workspaceId} and case_id = any(${caseIds}::uuid[]) and (${hasTexts} or kind <> 'Field')
    order by recorded_at, id`.execute(db)
  return rows
}

export interface CaseVersionRow {
  firmwareVersionId: string
  firmware: string
  version: string
  components: { name: string; version: string | null; assessment: string | null }[]
  /** null: the version was deleted since. */
  deviceCount: number | null
  isDeployed: boolean
  addedAt: Date
}

/** As they were called when the case got to know them, with what is known of them now. */
export async function listVersions(
  db: Db,
  {
    workspaceId,
    caseId,
    vulnerabilityId,
  }: { workspaceId: string; caseId: string; vulnerabilityId: string | null },
): Promise<CaseVersionRow[]> {
  const { rows } = await sql<CaseVersionRow>`
    select held.firmware_version_id, min(held.firmware_name) as firmware, min(held.version_name) as version,
      coalesce(json_agg(json_build_object('name', held.component_name, 'version', held.component_version,
        'assessment', decision.assessment) order by held.component_name, held.package_id)
        filter (where held.component_name <> ''), '[]') as components,
      case when present.id is not null then (
        select coalesce(sum(counted.devices), 0)::int from firmware_version_device_counts as counted
        where counted.workspace_id = ${workspaceId} and counted.firmware_version_id = held.firmware_version_id)
      end as device_count,
      exists (select from deployment_artifacts as deployed
        where deployed.workspace_id = ${workspaceId} and deployed.firmware_version_id = held.firmware_version_id) as is_deployed,
      min(held.added_at) as added_at
    from case_versions as held
    left join firmware_versions as present on present.workspace_id = held.workspace_id and present.id = held.firmware_version_id
    left join finding_decisions as decision on decision.workspace_id = held.workspace_id
      and decision.firmware_version_id = held.firmware_version_id and decision.package_id = held.package_id
      and decision.vulnerability_id = ${vulnerabilityId}
    where held.workspace_id = ${workspaceId} and held.case_id = ${caseId}
    group by held.firmware_version_id, present.id
    order by firmware, version, held.firmware_version_id`.execute(db)
  return rows
}

/** Devices that report one of the versions now, each once. */
export async function countDevices(
  db: Db,
  workspaceId: string,
  versionIds: readonly string[],
): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select coalesce(sum(sets.devices), 0)::int as count
    from firmware_set_device_counts as sets
    where sets.workspace_id = ${workspaceId} and sets.firmware_version_ids && ${versionIds}::uuid[]`.execute(
    db,
  )
  return rows[0]?.count ?? 0
}

/** Cases of a workspace are made one after another, so that there is one for each vulnerability and manufacturer. */
export async function lockCases(tx: Tx, workspaceId: string): Promise<void> {
  await sql`select pg_advisory_xact_lock(hashtextextended('cases:' || ${workspaceId}, 0))`.execute(
    tx,
  )
}

/** Facts of a case are recorded one after another. Answers false if there is no such case. */
export async function lockCase(tx: Tx, workspaceId: string, id: string): Promise<boolean> {
  const row = await tx
    .selectFrom('cases')
    .select('id')
    .where('workspaceId', '=', workspaceId)
    .where('id', '=', id)
    .forUpdate()
    .executeTakeFirst()
  return row !== undefined
}

interface Named {
  vulnerabilityId: string
  manufacturer: string
}

/** By any id that the vulnerability has had. Drills do not count. */
export async function findCaseOf(
  db: Db,
  workspaceId: string,
  { vulnerabilityId, manufacturer }: Named,
): Promise<{ id: string; title: string } | undefined> {
  const { rows } = await sql<{ id: string; title: string }>`
    select held.id, held.title from cases as held
    where held.workspace_id = ${workspaceId} and not held.is_drill and lower(held.manufacturer) = lower(${manufacturer})
      and (held.vulnerability_id = ${vulnerabilityId} or held.vulnerability_id in (
        select alias from vulnerability_aliases where vulnerability_id = (
          select vulnerability_id from vulnerability_aliases where alias = ${vulnerabilityId})))
    order by held.created_at limit 1`.execute(db)
  return rows[0]
}

export interface NewCase extends Omit<CaseRow, 'lines'> {
  workspaceId: string
}

export async function insertCase(tx: Tx, row: NewCase): Promise<void> {
  await tx.insertInto('cases').values(row).execute()
}

export async function addLines(
  tx: Tx,
  {
    workspaceId,
    caseId,
    lineIds,
  }: { workspaceId: string; caseId: string; lineIds: readonly string[] },
): Promise<void> {
  await sql`
    insert into case_lines (workspace_id, case_id, product_line_id)
    select ${workspaceId}, ${caseId}, id from unnest(${lineIds}::uuid[]) as given (id)
    on conflict do nothing`.execute(tx)
}

export async function removeLine(
  tx: Tx,
  { workspaceId, caseId, lineId }: { workspaceId: string; caseId: string; lineId: string },
): Promise<void> {
  await tx
    .deleteFrom('caseLines')
    .where('workspaceId', '=', workspaceId)
    .where('caseId', '=', caseId)
    .where('productLineId', '=', lineId)
    .execute()
}

export async function updateManufacturer(
  tx: Tx,
  {
    workspaceId,
    caseId,
    manufacturer,
  }: { workspaceId: string; caseId: string; manufacturer: string },
): Promise<void> {
  await tx
    .updateTable('cases')
    .set({ manufacturer })
    .where('workspaceId', '=', workspaceId)
    .where('id', '=', caseId)
    .execute()
}

export interface NewVersion {
  firmwareVersionId: string
  packageId: string
  firmwareId: string
  firmwareName: string
  versionName: string
  componentName: string
  componentVersion: string | null
}

export async function addVersions(
  tx: Tx,
  {
    workspaceId,
    caseId,
    versions,
    at,
  }: { workspaceId: string; caseId: string; versions: readonly NewVersion[]; at: Date },
): Promise<void> {
  const given = JSON.stringify(
    versions.map((one) => ({
      firmware_version_id: one.firmwareVersionId,
      package_id: one.packageId,
      firmware_id: one.firmwareId,
      firmware_name: one.firmwareName,
      version_name: one.versionName,
      component_name: one.componentName,
      component_version: one.componentVersion,
    })),
  )
  await sql`
    insert into case_versions (workspace_id, case_id, firmware_version_id, package_id, firmware_id, firmware_name,
      version_name, component_name, component_version, added_at)
    select ${workspaceId}, ${caseId}, firmware_version_id, package_id, firmware_id, firmware_name, version_name,
      component_name, component_version, ${at}
    from json_to_recordset(${given}::json) as given (firmware_version_id uuid, package_id uuid, firmware_id uuid,
      firmware_name text, version_name text, component_name text, component_version text)
    on conflict do nothing`.execute(tx)
}

export interface NewFact {
  workspaceId: string
  id: string
  caseId: string
  kind: FactKind
  recordedAt: Date
  byType: string
  byId: string | null
  byEmail: string | null
  instant: Date | null
  isEstimate: boolean
  text: string | null
  detail: FactDetail
  correctsId: string | null
}

/** Later than all that the case has, also where the clock of the host was set back: the order of facts decides what holds. */
export async function insertFact(tx: Tx, { detail, ...row }: NewFact): Promise<void> {
  await sql`
    insert into case_facts (workspace_id, id, case_id, kind, recorded_at, by_type, by_id, by_email, instant, is_estimate,
      text, detail, corrects_id)
    select ${row.workspaceId}::uuid, ${row.id}::uuid, ${row.caseId}::uuid, ${row.kind}::text,
      greatest(${row.recordedAt}::timestamptz, max(known.recorded_at) + interval '1 millisecond'),
      ${row.byType}::text, ${row.byId}::text, ${row.byEmail}::text, ${row.instant}::timestamptz, ${row.isEstimate}::boolean,
      ${row.text}::text, ${JSON.stringify(detail)}::jsonb, ${row.correctsId}::uuid
    from case_facts as known
    where known.workspace_id = ${row.workspaceId} and known.case_id = ${row.caseId}`.execute(tx)
}
