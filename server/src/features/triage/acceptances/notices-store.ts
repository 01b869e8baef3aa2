/** Ends of acceptances that somebody has yet to be told of. */
import { sql } from 'kysely'
import type { Acceptance } from '../../../formats/acceptances.ts'
import type { FindingKey } from '../../../formats/finding-id.ts'
import type { Db, Tx } from '../../../platform/db/connect.ts'

export interface NoticedEnd extends FindingKey {
  isEnded: boolean
  acceptance: Acceptance
}

/**
 * Notes the acceptances whose end is near enough, once each. Those that were accepted for less than that long are not told of before
 * they end.
 */
export async function noteNearEnds(db: Db, now: Date): Promise<void> {
  await sql`
    with near as materialized (
      select decision.workspace_id, decision.firmware_version_id, decision.package_id, decision.vulnerability_id
      from finding_decisions as decision
      join workspaces as workspace on workspace.id = decision.workspace_id and workspace.acceptance_notice_days > 0
      where decision.ignored and (decision.acceptance ->> 'until') collate "C" <= ${addYear(now)}
        and decision.acceptance -> 'isEndAnnounced' is null
        and (decision.acceptance ->> 'until')::timestamptz - make_interval(days => workspace.acceptance_notice_days)
          between (decision.acceptance ->> 'acceptedAt')::timestamptz and ${now}::timestamptz
    ), noted as (
      update finding_decisions as decision set acceptance = decision.acceptance || '{"isEndAnnounced": true}'
      from near
      where decision.workspace_id = near.workspace_id and decision.firmware_version_id = near.firmware_version_id
        and decision.package_id = near.package_id and decision.vulnerability_id = near.vulnerability_id
        and decision.ignored and decision.acceptance -> 'isEndAnnounced' is null
      returning decision.*
    )
    insert into acceptance_notices (workspace_id, id, created_at, is_ended, owner_id, firmware_version_id, package_id,
      vulnerability_id, acceptance)
    select workspace_id, gen_random_uuid(), ${now}::timestamptz, false, (acceptance #>> '{owner,id}')::uuid,
      firmware_version_id, package_id, vulnerability_id, acceptance
    from noted`.execute(db)
}

/** The longest notice is a year. */
const addYear = (now: Date) => new Date(now.getTime() + 366 * 86_400_000).toISOString()

export interface WaitingOwner {
  workspaceId: string
  ownerId: string | null
}

/** Those of whom nothing more came since `quietSince`, or who wait since before `longSince`: so a run is one mail. */
export async function listWaitingOwners(
  db: Db,
  { quietSince, longSince }: { quietSince: Date; longSince: Date },
): Promise<WaitingOwner[]> {
  const { rows } = await sql<WaitingOwner>`
    select workspace_id, owner_id from acceptance_notices
    group by workspace_id, owner_id
    having max(created_at) <= ${quietSince} or min(created_at) <= ${longSince}
    order by workspace_id, owner_id`.execute(db)
  return rows
}

/** What another worker tells meanwhile is left to it. The end that comes first leads. */
export async function takeNotices(
  tx: Tx,
  { workspaceId, ownerId }: WaitingOwner,
): Promise<NoticedEnd[]> {
  const { rows } = await sql<NoticedEnd>`
    with taken as (
      delete from acceptance_notices where workspace_id = ${workspaceId} and id in (
        select id from acceptance_notices
        where workspace_id = ${workspaceId} and owner_id is not distinct from ${ownerId}::uuid
        for update skip locked)
      returning *
    )
    select is_ended, firmware_version_id, package_id, vulnerability_id, acceptance from taken
    order by is_ended desc, acceptance ->> 'until', vulnerability_id, firmware_version_id, package_id`.execute(
    tx,
  )
  return rows
}

export async function listVersionNames(
  db: Db,
  workspaceId: string,
  ids: readonly string[],
): Promise<Map<string, string>> {
  const { rows } = await sql<{ id: string; name: string }>`
    select version.id, firmware.name || ' ' || version.name as name
    from firmware_versions as version
    join firmwares as firmware on firmware.workspace_id = version.workspace_id and firmware.id = version.firmware_id
    where version.workspace_id = ${workspaceId} and version.id = any(${ids}::uuid[])`.execute(db)
  return new Map(rows.map(({ id, name }) => [id, name]))
}
