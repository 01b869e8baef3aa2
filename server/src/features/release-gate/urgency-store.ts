/** How many findings of versions are as urgent as the release gate asks, kept with what was counted (docs/design/ssvc.md). */
import { sql } from 'kysely'
import { encodePrevalence } from '../../formats/ssvc/classes.ts'
import type { Db } from '../../platform/db/connect.ts'

/** In which contexts a version may stand by how many devices run it. */
const [OF_NO_DEVICE, OF_FEW_DEVICES, OF_MANY_DEVICES] = (['N', 'F', 'M'] as const).map((one) =>
  String(encodePrevalence(one)),
)

export interface KeptUrgency {
  id: string
  /** All that the count depends on. */
  countedOf: string
  /** null: something of that changed since, or will as soon as it is counted in which contexts the version stands. */
  count: number | null
  /** What the workspace states, or how many devices run the version, changed since its contexts were counted. */
  isWaiting: boolean
  /** Active findings. */
  findingCount: number
}

/** Of these versions, or of all. No tree asks for the likelihood by EPSS, which changes every day. */
export async function listKeptUrgency(
  db: Db,
  workspaceId: string,
  firmwareVersionIds: readonly string[] | undefined,
): Promise<KeptUrgency[]> {
  const isMeant =
    firmwareVersionIds === undefined
      ? sql`true`
      : sql`version.id = any(${[...firmwareVersionIds]}::uuid[])`
  const { rows } = await sql<KeptUrgency>`
    with shared as (
      select concat_ws(' ', workspace.gate_forbids_exploited_acceptances, stated.revision,
          (select sum(score_revision) from vulnerability_sources where source <> 'epss')) as state,
        stated.many_devices, stated.inputs_revision is distinct from kept.ssvc_inputs as are_inputs_old
      from workspaces as workspace
      left join workspace_kept_locks as kept on kept.workspace_id = ${workspaceId}
      left join lateral (
        select revision, inputs_revision, many_devices from ssvc_settings
        where workspace_id = ${workspaceId} order by revision desc limit 1
      ) as stated on true
      where workspace.id = ${workspaceId}
    ), running as (
      select held.id, sum(counts.devices) as devices
      from firmware_set_device_counts as counts cross join unnest(counts.firmware_version_ids) as held (id)
      where counts.workspace_id = ${workspaceId} group by held.id
    ), present as (
      select version.id,
        concat_ws(' ', counters.revision, coalesce(numbered.ssvc_contexts, -1), shared.state) as counted_of,
        coalesce(counters.critical + counters.high + counters.medium + counters.low + counters.none + counters.unknown, 0)
          as finding_count,
        numbered.number is not null and (shared.are_inputs_old or numbered.ssvc_contexts & case
            when coalesce(running.devices, 0) = 0 then ${OF_NO_DEVICE}::bigint
            when running.devices < shared.many_devices then ${OF_FEW_DEVICES}::bigint
            else ${OF_MANY_DEVICES}::bigint end = 0) as is_waiting
      from firmware_versions as version
      cross join shared
      left join running on running.id = version.id
      left join firmware_version_counters as counters
        on counters.workspace_id = ${workspaceId} and counters.firmware_version_id = version.id
      left join workspace_versions as numbered
        on numbered.workspace_id = ${workspaceId} and numbered.firmware_version_id = version.id
      where version.workspace_id = ${workspaceId} and ${isMeant}
    )
    select present.id, present.counted_of, present.finding_count, present.is_waiting,
      case when kept.counted_of = present.counted_of and not present.is_waiting then kept.urgent_count end as count
    from present
    left join firmware_version_urgency as kept
      on kept.workspace_id = ${workspaceId} and kept.firmware_version_id = present.id`.execute(db)
  return rows
}

/** Versions that are gone meanwhile are left out. */
export async function keepUrgency(
  db: Db,
  workspaceId: string,
  counted: readonly { id: string; countedOf: string; count: number }[],
): Promise<void> {
  await sql`
    insert into firmware_version_urgency (workspace_id, firmware_version_id, counted_of, urgent_count)
    select ${workspaceId}::uuid, given.id, given.counted_of, given.urgent_count
    from unnest(${counted.map(({ id }) => id)}::uuid[], ${counted.map(({ countedOf }) => countedOf)}::text[],
      ${counted.map(({ count }) => count)}::int[]) as given (id, counted_of, urgent_count)
    join firmware_versions as version on version.workspace_id = ${workspaceId} and version.id = given.id
    order by given.id
    on conflict (workspace_id, firmware_version_id) do update
      set counted_of = excluded.counted_of, urgent_count = excluded.urgent_count`.execute(db)
}

export async function forgetUrgency(
  db: Db,
  workspaceId: string,
  firmwareVersionIds: readonly string[],
): Promise<void> {
  await sql`
    delete from firmware_version_urgency
    where workspace_id = ${workspaceId} and firmware_version_id = any(${[...firmwareVersionIds]}::uuid[])`.execute(
    db,
  )
}

/** Workspaces whose release gate asks for outcomes. */
export async function listAskingWorkspaces(db: Db): Promise<string[]> {
  const { rows } = await sql<{ workspaceId: string }>`
    select workspace_id from (
      select distinct on (workspace_id) workspace_id, gate_from from ssvc_settings order by workspace_id, revision desc
    ) as newest where gate_from is not null`.execute(db)
  return rows.map(({ workspaceId }) => workspaceId)
}
