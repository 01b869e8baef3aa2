/** The acceptances of a workspace, as people list and select them. */
import { type RawBuilder, sql } from 'kysely'
import type { Acceptance, EndCause } from '../../../formats/acceptances.ts'
import type { Severity } from '../../../formats/advisories/model.ts'
import type { Assessment } from '../../../formats/assessments.ts'
import type { FindingKey } from '../../../formats/finding-id.ts'
import type { Db } from '../../../platform/db/connect.ts'

export const ACCEPTANCE_STATES = ['Open', 'EndingSoon', 'Ended'] as const
type AcceptanceState = (typeof ACCEPTANCE_STATES)[number]

export interface AcceptanceFilter {
  states?: AcceptanceState[]
  ownerIds?: string[]
  /** Nobody who is a member looks after it. */
  withoutOwner?: boolean
  cveIds?: string[]
  firmwareIds?: string[]
  firmwareVersionIds?: string[]
  /** An instant as `toISOString` writes it: those that hold and end before. */
  endsBefore?: string
  /** The same of those that ended, then or later. */
  endedSince?: string
  /** Those that any of these ended. */
  causes?: EndCause[]
  /** In the reason, the vulnerability’s id or the component’s name. */
  contains?: string
}

export interface AcceptanceScopeAsked {
  workspaceId: string
  filter: AcceptanceFilter
  /** What ends until then ends soon. */
  soon: Date
}

export interface AcceptanceRow extends FindingKey {
  acceptance: Acceptance
  ignored: boolean
  assessment: Assessment
  firmwareVersionName: string
  firmwareId: string
  firmwareName: string
  componentName: string
  componentVersion: string | null
  severity: Severity | null
  isExploited: boolean
  epssScore: number | null
  affectedDevices: number
  /** null: nobody who is a member. */
  ownerEmail: string | null
  place: number
}

const UNTIL = sql`(decision.acceptance ->> 'until') collate "C"`

/** Those that hold by their end, those without one after them, then those that ended, the last one first. */
const PLACE = sql`(case
  when not decision.ignored then 2e13 - extract(epoch from (decision.acceptance #>> '{ended,at}')::timestamptz) * 1000
  when decision.acceptance ->> 'until' is null then 1e13
  else extract(epoch from (decision.acceptance ->> 'until')::timestamptz) * 1000 end)::float8`

const STATE_CONDITIONS: Record<AcceptanceState, (soon: string) => RawBuilder<unknown>> = {
  Open: (soon) => sql`(decision.ignored and (${UNTIL} <= ${soon}) is not true)`,
  EndingSoon: (soon) => sql`(decision.ignored and ${UNTIL} <= ${soon})`,
  Ended: () => sql`(not decision.ignored and decision.acceptance -> 'ended' is not null)`,
}

const isMember = (workspaceId: string) => sql`exists (
  select from members as member where member.workspace_id = ${workspaceId}
    and member.subject_id = (decision.acceptance #>> '{owner,id}')::uuid)`

function selectAcceptances({
  workspaceId,
  filter,
  soon,
}: AcceptanceScopeAsked): RawBuilder<unknown> {
  const { states, ownerIds, withoutOwner, endsBefore, endedSince, causes } = filter
  const { cveIds, firmwareIds, firmwareVersionIds, contains } = filter
  const has = (text: RawBuilder<unknown>) =>
    sql`strpos(lower(${text}), lower(${contains ?? ''})) > 0`
  const text = soon.toISOString()
  const conditions = [
    sql`decision.workspace_id = ${workspaceId} and decision.acceptance is not null`,
    sql`(decision.ignored or decision.acceptance -> 'ended' is not null)`,
    states &&
      (states.length === 0
        ? sql`false`
        : sql`(${sql.join(
            states.map((state) => STATE_CONDITIONS[state](text)),
            sql` or `,
          )})`),
    ownerIds && sql`decision.acceptance #>> '{owner,id}' = any(${ownerIds}::text[])`,
    withoutOwner !== undefined && sql`${isMember(workspaceId)} <> ${withoutOwner}`,
    endsBefore !== undefined && sql`decision.ignored and ${UNTIL} < ${endsBefore}`,
    endedSince !== undefined &&
      sql`not decision.ignored and decision.acceptance #>> '{ended,at}' >= ${endedSince}`,
    causes &&
      sql`not decision.ignored and decision.acceptance #> '{ended,causes}' ?| ${causes}::text[]`,
    cveIds &&
      sql`decision.vulnerability_id in (
      select alias.vulnerability_id from vulnerability_aliases as alias where alias.alias = any(${cveIds}::text[]))`,
    firmwareIds && sql`version.firmware_id::text = any(${firmwareIds}::text[])`,
    firmwareVersionIds && sql`version.id::text = any(${firmwareVersionIds}::text[])`,
    contains !== undefined &&
      sql`(${has(sql`decision.vulnerability_id`)} or ${has(sql`held.component_name`)}
      or coalesce(${has(sql`decision.acceptance ->> 'reason'`)}, false))`,
  ].filter((one) => one !== undefined && one !== false)
  return sql`
    from finding_decisions as decision
    join firmware_versions as version on version.workspace_id = decision.workspace_id and version.id = decision.firmware_version_id
    join lateral (
      select fact.component_name, fact.component_version from firmware_version_packages as fact
      where fact.workspace_id = ${workspaceId} and fact.firmware_version_id = decision.firmware_version_id
        and fact.package_id = decision.package_id
      order by fact.since desc limit 1) as held on true
    where ${sql.join(conditions, sql` and `)}`
}

interface PageAsked {
  limit: number
  after:
    | readonly [place: number, version: string, packageId: string, vulnerabilityId: string]
    | undefined
}

const KEY = sql`decision.firmware_version_id, decision.package_id, decision.vulnerability_id`

export async function listAcceptances(
  db: Db,
  scope: AcceptanceScopeAsked,
  { limit, after }: PageAsked,
): Promise<AcceptanceRow[]> {
  const { workspaceId } = scope
  const position = after
    ? sql`and (${PLACE}, ${KEY}) > (${after[0]}::float8, ${after[1]}::uuid, ${after[2]}::uuid, ${after[3]})`
    : sql``
  const { rows } = await sql<AcceptanceRow>`
    with page as materialized (
      select ${KEY}, decision.acceptance, decision.ignored, decision.assessment, held.component_name, held.component_version,
        version.name as firmware_version_name, version.firmware_id, ${PLACE} as place
      ${selectAcceptances(scope)} ${position}
      order by place, ${KEY} limit ${limit}
    ), running as materialized (
      select asked.firmware_version_id, sum(counts.devices)::int as devices
      from (select distinct firmware_version_id from page) as asked
      join firmware_set_device_counts as counts on counts.workspace_id = ${workspaceId}
        and counts.firmware_version_ids @> array[asked.firmware_version_id]
      group by asked.firmware_version_id
    )
    select page.*, firmware.name as firmware_name, match.severity, coalesce(match.is_exploited, false) as is_exploited,
      epss.score as epss_score, coalesce(running.devices, 0) as affected_devices, owner.email as owner_email
    from page
    join firmwares as firmware on firmware.workspace_id = ${workspaceId} and firmware.id = page.firmware_id
    left join package_matches as match on match.package_id = page.package_id
      and match.vulnerability_id = page.vulnerability_id and match.until is null
    left join epss_scores as epss on epss.cve_id = page.vulnerability_id
    left join running on running.firmware_version_id = page.firmware_version_id
    left join members as member on member.workspace_id = ${workspaceId}
      and member.subject_id = (page.acceptance #>> '{owner,id}')::uuid
    left join people as owner on owner.id = member.subject_id
    order by page.place, page.firmware_version_id, page.package_id, page.vulnerability_id`.execute(
    db,
  )
  return rows
}

export async function countAcceptances(
  db: Db,
  scope: AcceptanceScopeAsked,
): Promise<{ open: number; endingSoon: number; ended: number; withoutOwner: number }> {
  const text = scope.soon.toISOString()
  const { rows } = await sql<Awaited<ReturnType<typeof countAcceptances>>>`
    select (count(*) filter (where ${STATE_CONDITIONS.Open(text)}))::int as open,
      (count(*) filter (where ${STATE_CONDITIONS.EndingSoon(text)}))::int as ending_soon,
      (count(*) filter (where ${STATE_CONDITIONS.Ended(text)}))::int as ended,
      (count(*) filter (where decision.ignored and not ${isMember(scope.workspaceId)}))::int as without_owner
    ${selectAcceptances(scope)}`.execute(db)
  return rows[0] ?? { open: 0, endingSoon: 0, ended: 0, withoutOwner: 0 }
}

/** In the order of the keys. */
export async function listAcceptedKeys(
  db: Db,
  scope: AcceptanceScopeAsked,
  limit: number,
): Promise<FindingKey[]> {
  const { rows } = await sql<FindingKey>`
    select ${KEY} ${selectAcceptances(scope)} order by ${KEY} limit ${limit}`.execute(db)
  return rows
}

export interface SaidOfFinding extends FindingKey {
  assessment: Assessment
  ignored: boolean
  acceptance: Acceptance | null
}

/** What is said of each, in the order of the keys. */
export async function listSaid(
  db: Db,
  workspaceId: string,
  keys: readonly FindingKey[],
): Promise<SaidOfFinding[]> {
  const { rows } = await sql<SaidOfFinding>`
    select asked.firmware_version_id, asked.package_id, asked.vulnerability_id,
      coalesce(decision.assessment, 'NotAssessed') as assessment, coalesce(decision.ignored, false) as ignored,
      decision.acceptance
    from unnest(${keys.map((_, index) => index)}::int[], ${keys.map((key) => key.firmwareVersionId)}::uuid[],
      ${keys.map((key) => key.packageId)}::uuid[], ${keys.map((key) => key.vulnerabilityId)}::text[])
      as asked (place, firmware_version_id, package_id, vulnerability_id)
    left join finding_decisions as decision on decision.workspace_id = ${workspaceId}
      and decision.firmware_version_id = asked.firmware_version_id and decision.package_id = asked.package_id
      and decision.vulnerability_id = asked.vulnerability_id
    order by asked.place`.execute(db)
  return rows
}
