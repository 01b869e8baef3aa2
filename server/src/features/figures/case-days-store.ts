/** What held of the cases of a firmware from a day on: their owners, and the target of their SSVC outcome. */
import { sql } from 'kysely'
import type { Db } from '../../platform/db/connect.ts'
import { RATED_CLASS } from '../ssvc/index.ts'
import { formatDay, type Period } from './asked.ts'
import type { CaseDay } from './facts.ts'

interface OfFirmware {
  workspaceId: string
  firmwareId: string
}

/** Whether somebody owns something, an outcome has a target, or did at any time. */
export async function isAnythingKept(db: Db, workspaceId: string): Promise<boolean> {
  const { rows } = await sql<{ isKept: boolean }>`
    select exists (select from owner_rules where workspace_id = ${workspaceId})
      or exists (select from vulnerability_assignees where workspace_id = ${workspaceId})
      or exists (select from ssvc_settings where workspace_id = ${workspaceId} and target_days <> '{}')
      or exists (select from figure_case_days where workspace_id = ${workspaceId}) as is_kept`.execute(
    db,
  )
  return rows[0]?.isKept ?? false
}

export async function listFirmwareIds(db: Db, workspaceId: string): Promise<string[]> {
  const rows = await db
    .selectFrom('firmwares')
    .select('id')
    .where('workspaceId', '=', workspaceId)
    .orderBy('id')
    .execute()
  return rows.map(({ id }) => id)
}

export interface HeldCase {
  vulnerabilityId: string
  packageIds: string[]
  detectedAt: Date
  /** Of SSVC; contexts are a number. */
  ratedClass: number
  contexts: string
}

/** The vulnerabilities that versions of a firmware have now, as figures count them. */
export async function listHeldCases(
  db: Db,
  { workspaceId, firmwareId }: OfFirmware,
): Promise<HeldCase[]> {
  const { rows } = await sql<HeldCase>`
    with held as materialized (
      select fact.package_id, min(fact.since) as since, bit_or(coalesce(numbered.ssvc_contexts, -1)) as contexts
      from firmware_versions as version
      join firmware_version_packages as fact
        on fact.workspace_id = version.workspace_id and fact.firmware_version_id = version.id and fact.until is null
      left join workspace_versions as numbered
        on numbered.workspace_id = version.workspace_id and numbered.firmware_version_id = version.id
      where version.workspace_id = ${workspaceId} and version.firmware_id = ${firmwareId}
      group by 1
    ), found as materialized (
      select match.vulnerability_id, array_agg(held.package_id order by held.package_id) as package_ids,
        min(greatest(held.since, match.since)) as detected_at, bit_or(held.contexts) as contexts
      from held
      join package_matches as match
        on match.package_id = held.package_id and match.until is null and match.confidence <> 'Low'
      group by 1
    )
    select match.vulnerability_id, match.package_ids, match.detected_at, ${RATED_CLASS} as rated_class, match.contexts::text
    from found as match
    join vulnerabilities as vulnerability on vulnerability.id = match.vulnerability_id
    order by match.vulnerability_id`.execute(db)
  return rows
}

export interface CaseState extends Omit<CaseDay, 'sinceDay'> {
  vulnerabilityId: string
  detectedAt: Date
}

/**
 * A row where something is not as it was. A case of which nothing is kept begins on the day of its detection, if that was today or the day
 * before: a detection just before midnight is seen after it.
 */
export async function writeCaseDays(
  db: Db,
  { workspaceId, firmwareId, at }: OfFirmware & { at: Date },
  states: readonly CaseState[],
): Promise<void> {
  const stated = states.map(({ detectedAt, owners, ...rest }) => ({
    ...rest,
    detectedDay: formatDay(detectedAt),
    owners,
  }))
  await sql`
    with stated as materialized (
      select * from jsonb_to_recordset(${JSON.stringify(stated)}::jsonb) as stated ("vulnerabilityId" text collate "C",
        "detectedDay" date, owners jsonb, outcome text, "targetDays" integer)
    )
    insert into figure_case_days as kept (workspace_id, firmware_id, vulnerability_id, since_day, owners, outcome, target_days)
    select ${workspaceId}::uuid, ${firmwareId}::uuid, stated."vulnerabilityId",
      case when last.since_day is null and stated."detectedDay" >= ${formatDay(at)}::date - 1
        then stated."detectedDay" else ${formatDay(at)}::date end,
      stated.owners, stated.outcome, stated."targetDays"
    from stated
    left join lateral (
      select each.since_day, each.owners, each.outcome, each.target_days from figure_case_days as each
      where each.workspace_id = ${workspaceId} and each.firmware_id = ${firmwareId}
        and each.vulnerability_id = stated."vulnerabilityId"
      order by each.since_day desc limit 1
    ) as last on true
    where (coalesce(last.owners, '[]'), last.outcome, last.target_days)
      is distinct from (stated.owners, stated.outcome, stated."targetDays")
    order by 3
    on conflict (workspace_id, firmware_id, vulnerability_id, since_day) do update
      set owners = excluded.owners, outcome = excluded.outcome, target_days = excluded.target_days`.execute(
    db,
  )
}

export interface KeptCaseDays {
  firmwareId: string
  vulnerabilityId: string
  /** In order. */
  days: CaseDay[]
}

/** Until the last day of the period. */
export async function listCaseDays(db: Db, period: Period): Promise<KeptCaseDays[]> {
  const { workspaceId, firmwareId, lastDay } = period
  const { rows } = await sql<KeptCaseDays>`
    select kept.firmware_id, kept.vulnerability_id, json_agg(json_build_object('sinceDay', kept.since_day::text,
      'owners', kept.owners, 'outcome', kept.outcome, 'targetDays', kept.target_days) order by kept.since_day) as days
    from figure_case_days as kept
    where kept.workspace_id = ${workspaceId} and kept.since_day <= ${formatDay(lastDay)}::date
      ${firmwareId === undefined ? sql`` : sql`and kept.firmware_id = ${firmwareId}`}
    group by 1, 2`.execute(db)
  return rows
}
