/** Findings that began to fire in rules that tell owners, until they are told. */
import { sql } from 'kysely'
import type { Db, Tx } from '../../../platform/db/connect.ts'
import { isAmongSilenced } from '../silences/store.ts'

interface TellingRule {
  id: string
  /** The instant of the evaluation, at which series of the rule began. */
  scheduledAt: Date
}

/** In the transaction that evaluates the rules. */
export async function noteForOwners(
  tx: Tx,
  workspaceId: string,
  { telling, notedAt }: { telling: readonly TellingRule[]; notedAt: Date },
): Promise<void> {
  if (telling.length === 0) return
  await sql`
    insert into finding_owner_notices (workspace_id, rule_id, series, incident_id, created_at)
    select ${workspaceId}, begun.rule_id, begun.series, begun.incident_id, ${notedAt}
    from unnest(
      ${telling.map(({ id }) => id)}::uuid[],
      ${telling.map(({ scheduledAt }) => scheduledAt.toISOString())}::timestamptz[]
    ) as rule (id, begun_at)
    join alert_series as begun on begun.workspace_id = ${workspaceId} and begun.rule_id = rule.id
      and begun.since = rule.begun_at and begun.until is null
    on conflict (workspace_id, rule_id, series) do nothing`.execute(tx)
}

/** Those to which nothing was added since `quietSince`, or which wait since before `longSince`: so a run is one mail. */
export async function listWaitingWorkspaces(
  db: Db,
  { quietSince, longSince }: { quietSince: Date; longSince: Date },
): Promise<string[]> {
  const { rows } = await sql<{ workspaceId: string }>`
    select workspace_id from finding_owner_notices
    group by workspace_id
    having max(created_at) <= ${quietSince} or min(created_at) <= ${longSince}
    order by min(created_at), workspace_id`.execute(db)
  return rows.map(({ workspaceId }) => workspaceId)
}

/** What was decided or is gone meanwhile is not told. */
export async function deleteEnded(tx: Tx, workspaceId: string): Promise<void> {
  await sql`
    delete from finding_owner_notices as notice
    where notice.workspace_id = ${workspaceId} and not exists (
      select from alert_series as held
      where held.workspace_id = ${workspaceId} and held.rule_id = notice.rule_id and held.series = notice.series
        and held.until is null)`.execute(tx)
}

export interface OwnerNotice {
  ruleId: string
  ruleName: string
  incidentId: string
  series: string
  label: string | null
  value: number | null
  since: Date
  toldIds: string[]
}

/** The worst first. What another worker tells meanwhile, and what is silenced, is left. */
export async function lockNotices(
  tx: Tx,
  workspaceId: string,
  { now, limit }: { now: Date; limit: number },
): Promise<OwnerNotice[]> {
  const { rows } = await sql<OwnerNotice>`
    select notice.rule_id, incident.rule_name, notice.incident_id, notice.series, held.label, held.value, held.since,
      notice.told_ids
    from finding_owner_notices as notice
    join alert_series as held on held.workspace_id = ${workspaceId} and held.rule_id = notice.rule_id
      and held.series = notice.series and held.until is null
    join alert_incidents as incident on incident.workspace_id = ${workspaceId} and incident.id = notice.incident_id
    where notice.workspace_id = ${workspaceId} and not exists (
      select from alert_silences as silence
      where silence.workspace_id = ${workspaceId} and silence.rule_id = notice.rule_id and silence.until > ${now}
        and silence.ended_at is null
        and (silence.covers = 'Rule' or ${isAmongSilenced(workspaceId, sql`notice.series`)}))
    order by held.value desc nulls last, notice.series, notice.rule_id
    limit ${limit}
    for update of notice skip locked`.execute(tx)
  return rows
}

export async function deleteNotices(
  tx: Tx,
  workspaceId: string,
  notices: readonly Pick<OwnerNotice, 'ruleId' | 'series'>[],
): Promise<void> {
  if (notices.length === 0) return
  await sql`
    delete from finding_owner_notices as notice
    using unnest(
      ${notices.map(({ ruleId }) => ruleId)}::uuid[], ${notices.map(({ series }) => series)}::text[]
    ) as told (rule_id, series)
    where notice.workspace_id = ${workspaceId} and notice.rule_id = told.rule_id
      and notice.series = told.series collate "C"`.execute(tx)
}

/** The others wait on. */
export async function recordTold(
  tx: Tx,
  workspaceId: string,
  notices: readonly Pick<OwnerNotice, 'ruleId' | 'series' | 'toldIds'>[],
): Promise<void> {
  for (const { ruleId, series, toldIds } of notices)
    await tx
      .updateTable('findingOwnerNotices')
      .set({ toldIds })
      .where('workspaceId', '=', workspaceId)
      .where('ruleId', '=', ruleId)
      .where('series', '=', series)
      .execute()
}
