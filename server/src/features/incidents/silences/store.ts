/** Silences, and which incidents they keep from telling people. */
import { type RawBuilder, sql } from 'kysely'
import type { Db, Tx } from '../../../platform/db/connect.ts'

export const COVERS = ['Series', 'Rule'] as const
export type Covers = (typeof COVERS)[number]

interface SilencedAt {
  workspaceId: string
  now: Date
  /** The series that count: those that are firing now, or all that fired in the incident. */
  isFiring?: boolean
}

/** Until when nobody is told of `incident`: all that counts of it is covered. null: people are told. */
export function selectSilencedUntil({ workspaceId, now, isFiring = true }: SilencedAt) {
  const active = sql`silence.workspace_id = ${workspaceId} and silence.rule_id = incident.rule_id
    and silence.until > ${now} and silence.ended_at is null`
  return sql<Date | null>`case when exists (select from alert_silences as silence where ${active}) then (
    select case when bool_and(covered.until is not null) then min(covered.until) end
    from alert_series as fired cross join lateral (
      select max(silence.until) as until from alert_silences as silence
      where ${active} and (silence.covers = 'Rule' or ${isAmongSilenced(workspaceId, sql`fired.series`)})
    ) as covered
    where fired.workspace_id = ${workspaceId} and fired.incident_id = incident.id
      ${isFiring ? sql`and fired.until is null` : sql``}
  ) end`
}

/** Whether it had fired in the incident of `silence` when that began. */
export const isAmongSilenced = (workspaceId: string, series: RawBuilder<unknown>) => sql`exists (
  select from alert_series as silenced
  where silenced.workspace_id = ${workspaceId} and silenced.incident_id = silence.incident_id
    and silenced.series = ${series} and silenced.since <= silence.created_at)`

export interface NewSilence {
  id: string
  ruleId: string
  incidentId: string
  covers: Covers
  reason: string
  createdAt: Date
  createdByEmail: string | null
  until: Date
}

export async function insertSilences(
  tx: Tx,
  workspaceId: string,
  silences: readonly NewSilence[],
): Promise<void> {
  if (silences.length === 0) return
  await tx
    .insertInto('alertSilences')
    .values(silences.map((silence) => ({ workspaceId, ...silence })))
    .execute()
}

export interface SilenceRow extends NewSilence {
  ruleName: string
  seriesCount: number | null
  endedAt: Date | null
  endedByEmail: string | null
}

const selectSilences = (workspaceId: string, condition: RawBuilder<unknown>) => sql<SilenceRow>`
  select silence.id, silence.rule_id, incident.rule_name, silence.incident_id, silence.covers, silence.reason,
    silence.created_at, silence.created_by_email, silence.until, silence.ended_at, silence.ended_by_email,
    case when silence.covers = 'Series' then (
      select count(distinct silenced.series)::int from alert_series as silenced
      where silenced.workspace_id = ${workspaceId} and silenced.incident_id = silence.incident_id
        and silenced.since <= silence.created_at) end as series_count
  from alert_silences as silence
  join alert_incidents as incident on incident.workspace_id = ${workspaceId} and incident.id = silence.incident_id
  where silence.workspace_id = ${workspaceId} and ${condition}`

export async function findSilence(
  db: Db,
  workspaceId: string,
  id: string,
): Promise<SilenceRow | undefined> {
  const { rows } = await selectSilences(workspaceId, sql`silence.id = ${id}`).execute(db)
  return rows[0]
}

interface SilencesAsked {
  now: Date
  isActive: boolean | undefined
  incidentId: string | undefined
  after: { createdAt: string; id: string } | undefined
  limit: number
}

/** The newest first. */
export async function listSilences(
  db: Db,
  workspaceId: string,
  { now, isActive, incidentId, after, limit }: SilencesAsked,
): Promise<SilenceRow[]> {
  const lasts = sql`(silence.ended_at is null and silence.until > ${now})`
  const conditions = sql.join(
    [
      sql`true`,
      ...(isActive === undefined ? [] : [isActive ? lasts : sql`not ${lasts}`]),
      ...(incidentId === undefined ? [] : [isAbout({ workspaceId, now, incidentId })]),
      ...(after
        ? [
            sql`(silence.created_at, silence.id) < (${after.createdAt}::timestamptz, ${after.id}::uuid)`,
          ]
        : []),
    ],
    sql` and `,
  )
  const { rows } = await sql<SilenceRow>`${selectSilences(workspaceId, conditions)}
    order by silence.created_at desc, silence.id desc limit ${limit}`.execute(db)
  return rows
}

const isAbout = (asked: { workspaceId: string; now: Date; incidentId: string }) => sql`(
  silence.incident_id = ${asked.incidentId} or exists (
    select from alert_incidents as other
    where other.workspace_id = ${asked.workspaceId} and other.id = ${asked.incidentId} and other.rule_id = silence.rule_id
      and silence.created_at <= coalesce(other.ended_at, ${asked.now})
      and least(silence.until, silence.ended_at) > other.began_at
      and (silence.covers = 'Rule' or exists (
        select from alert_series as fired
        where fired.workspace_id = ${asked.workspaceId} and fired.incident_id = other.id
          and ${isAmongSilenced(asked.workspaceId, sql`fired.series`)}))))`

/** Returns the rules of those that had not ended before, one for each. */
export async function endSilences(
  tx: Tx,
  workspaceId: string,
  { ids, now, byEmail }: { ids: readonly string[]; now: Date; byEmail: string | null },
): Promise<string[]> {
  const rows = await tx
    .updateTable('alertSilences')
    .set({ endedAt: now, endedByEmail: byEmail })
    .where('workspaceId', '=', workspaceId)
    .where(sql<boolean>`id = any(${ids}::uuid[])`)
    .where('endedAt', 'is', null)
    .where('until', '>', now)
    .returning('ruleId')
    .execute()
  return rows.map(({ ruleId }) => ruleId)
}

/** So that people are told when it is silenced no more. */
export async function holdSilenced(
  tx: Tx,
  workspaceId: string,
  { incidentIds, now }: { incidentIds: readonly string[]; now: Date },
): Promise<void> {
  await sql`
    update alert_incidents as incident set is_held = true
    where incident.workspace_id = ${workspaceId} and incident.ended_at is null and not incident.is_held
      and incident.id = any(${incidentIds}::uuid[])
      and ${selectSilencedUntil({ workspaceId, now })} is not null`.execute(tx)
}

/** Whoever ends a silence knows what is firing: only what nobody was told of at all is still told. */
export async function releaseTold(
  tx: Tx,
  workspaceId: string,
  { ruleIds, now }: { ruleIds: readonly string[]; now: Date },
): Promise<void> {
  await sql`
    update alert_incidents as incident set is_held = false
    where incident.workspace_id = ${workspaceId} and incident.rule_id = any(${ruleIds}::uuid[]) and incident.ended_at is null
      and incident.is_held and incident.notified_at is not null
      and ${selectSilencedUntil({ workspaceId, now })} is null`.execute(tx)
}
