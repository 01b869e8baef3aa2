/**
 * What a workspace copies beside its matches, as looking it up for all of them takes longer than all else: names and EPSS
 * scores of vulnerabilities, and how many devices run a package. A job compares names and scores once an hour and once an import
 * changed scores, devices once they moved.
 */
import { sql } from 'kysely'
import type { Db, Tx } from '../../../platform/db/connect.ts'
import { type ComponentVulnerability, readMatchesAgain } from './component-vulnerabilities-store.ts'

export interface CopyAges {
  areDevicesOld: boolean
  areScoresOld: boolean
  namesCopiedAt: Date | null
  /** Changes when devices begin or cease to run versions, and when a version that had findings is deleted. */
  devicesCounted: string
  /** Another number each time that EPSS scores change. */
  scoreRevision: number
  devicesCountedAt: Date | null
  /** The revision of what the workspace states for SSVC by which devices are counted now. */
  ssvcInputs: number
  /** SSVC asks in which cohorts devices are: that they move is not told. */
  areCohortsExposed: boolean
}

/** Devices are old once others run, or versions changed at the instant of the count or after it. */
export async function readCopyAges(db: Db, workspaceId: string): Promise<CopyAges> {
  const { rows } = await sql<CopyAges>`
    select kept.devices_counted is distinct from now.devices_counted or kept.devices_counted_at is null or exists (
        select from firmware_version_counters
        where workspace_id = ${workspaceId} and evaluated_at >= kept.devices_counted_at) as are_devices_old,
      kept.score_revision is distinct from now.score_revision as are_scores_old, kept.names_copied_at, now.devices_counted,
      now.score_revision, kept.devices_counted_at, now.ssvc_inputs, now.are_cohorts_exposed
    from (
      select count(*) || ' ' || coalesce(sum(hashtextextended(firmware_version_ids::text || ' ' || devices, 0)), 0) || ' ' || (
          select count(*) from firmware_version_counters where workspace_id = ${workspaceId}) || ' ' || (
          select count(*) from ssvc_settings where workspace_id = ${workspaceId}) as devices_counted,
        coalesce((
          select inputs_revision from ssvc_settings where workspace_id = ${workspaceId} order by revision desc limit 1), 0)
          as ssvc_inputs,
        coalesce((
          select exposures <> '{}' from ssvc_settings where workspace_id = ${workspaceId} order by revision desc limit 1), false)
          as are_cohorts_exposed,
        (select coalesce(sum(score_revision), 0)::int from vulnerability_sources) as score_revision
      from firmware_set_device_counts where workspace_id = ${workspaceId}
    ) as now
    left join workspace_kept_locks as kept on kept.workspace_id = ${workspaceId}`.execute(db)
  const [ages] = rows
  if (!ages) throw new Error('an aggregate answers one row')
  return ages
}

export interface OutdatedCopy {
  componentName: string
  vulnerabilityId: string
  name: string
  epssScore: number
  copiedScore: number
  ssvcClass: number
  copiedClass: number
}

export async function listOutdatedCopies(db: Db, workspaceId: string): Promise<OutdatedCopy[]> {
  const { rows } = await sql<OutdatedCopy>`
    select component_name, vulnerability_id, name, epss_score, copied_score, ssvc_class, copied_class from (
      select pair.component_name, pair.vulnerability_id, pair.name as copied_name, pair.epss_score as copied_score, pair.ssvc_class as copied_class,
        coalesce((select known.ssvc_class from vulnerabilities as known where known.id = pair.vulnerability_id), 0) as ssvc_class,
        coalesce((select known.name from vulnerabilities as known where known.id = pair.vulnerability_id), '') collate "C" as name,
        coalesce((select epss.score from epss_scores as epss where epss.cve_id = pair.vulnerability_id), '-1'::real)
          as epss_score
      from workspace_component_vulnerabilities as pair where pair.workspace_id = ${workspaceId} offset 0
    ) as each
    where copied_name <> name or copied_score <> epss_score or copied_class <> ssvc_class`.execute(
    db,
  )
  return rows
}

/** The workspace is locked. */
export async function writeCopies(
  tx: Tx,
  workspaceId: string,
  copies: readonly OutdatedCopy[],
): Promise<void> {
  await sql`
    update workspace_component_vulnerabilities as pair set name = known.name, epss_score = known.epss_score, ssvc_class = known.ssvc_class
    from unnest(${copies.map((one) => one.componentName)}::text[], ${copies.map((one) => one.vulnerabilityId)}::text[],
      ${copies.map((one) => one.name)}::text[], ${copies.map((one) => one.epssScore)}::real[],
      ${copies.map((one) => one.ssvcClass)}::smallint[])
      as known (component_name, vulnerability_id, name, epss_score, ssvc_class)
    where pair.workspace_id = ${workspaceId} and pair.component_name = known.component_name
      and pair.vulnerability_id = known.vulnerability_id`.execute(tx)
}

/** The workspace is locked. */
export async function markRefreshed(
  tx: Tx,
  workspaceId: string,
  mark:
    | { namesCopiedAt: Date; scoreRevision: number }
    | { devicesCountedAt: Date; devicesCounted: string; ssvcInputs: number },
): Promise<void> {
  await tx
    .updateTable('workspaceKeptLocks')
    .set(mark)
    .where('workspaceId', '=', workspaceId)
    .execute()
}

/** `magnitudes`: the digits of the number of devices that run each package, if any do. The workspace is locked. */
export async function writeMagnitudes(
  tx: Tx,
  workspaceId: string,
  magnitudes: ReadonlyMap<string, number>,
): Promise<void> {
  const { rows: changed } = await sql<{ packageId: string }>`
    update workspace_packages as owned set device_magnitude = now.magnitude
    from (
      select each.package_id, coalesce(counted.magnitude, 0) as magnitude
      from workspace_packages as each
      left join unnest(${[...magnitudes.keys()]}::uuid[], ${[...magnitudes.values()]}::smallint[])
        as counted (package_id, magnitude) on counted.package_id = each.package_id
      where each.workspace_id = ${workspaceId}
    ) as now
    where owned.workspace_id = ${workspaceId} and owned.package_id = now.package_id
      and owned.device_magnitude <> now.magnitude
    returning owned.package_id`.execute(tx)
  await copyMagnitudes(
    tx,
    workspaceId,
    changed.map(({ packageId }) => packageId),
  )
}

/** To the matches of the packages, and to the vulnerabilities of their components. */
async function copyMagnitudes(tx: Tx, workspaceId: string, packageIds: readonly string[]) {
  if (packageIds.length === 0) return
  const { rows } = await sql<ComponentVulnerability>`
    with changed as (
      update workspace_matches as kept set device_magnitude = owned.device_magnitude
      from workspace_packages as owned
      where owned.workspace_id = ${workspaceId} and owned.package_id = any(${[...packageIds]}::uuid[])
        and kept.workspace_id = ${workspaceId} and kept.package_id = owned.package_id
      returning kept.component_name, kept.vulnerability_id
    )
    select distinct component_name, vulnerability_id from changed order by 1, 2`.execute(tx)
  await readMatchesAgain(tx, workspaceId, rows)
}

/** Whether an acceptance that holds depends on what was counted or copied. */
export async function hasAcceptanceBy(
  db: Db,
  workspaceId: string,
  condition: 'epssAbove' | 'devicesAbove',
): Promise<boolean> {
  const { rows } = await sql`
    select from finding_decisions
    where workspace_id = ${workspaceId} and ignored and acceptance is not null
      and acceptance -> 'conditions' ->> ${condition} is not null limit 1`.execute(db)
  return rows.length > 0
}
