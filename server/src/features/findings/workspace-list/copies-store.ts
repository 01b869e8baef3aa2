/**
 * What a workspace copies beside its matches, as looking it up for all of them takes longer than all else: names and EPSS
 * scores of vulnerabilities, and how many devices run a package. A job compares names and scores once an hour and once an import
 * changed scores, devices once they moved.
 */
import { sql } from 'kysely'
import type { Db, Tx } from '../../../platform/db/connect.ts'
import { type ComponentVulnerability, readMatchesAgain } from './component-vulnerabilities-store.ts'

/** When devices were counted and names and scores compared, and the state that they had. */
export async function findRefreshed(db: Db, workspaceId: string) {
  return db
    .selectFrom('workspaceKeptLocks')
    .select(['devicesCounted', 'devicesCountedAt', 'namesCopiedAt', 'scoreRevision'])
    .where('workspaceId', '=', workspaceId)
    .executeTakeFirst()
}

export interface OutdatedCopy {
  componentName: string
  vulnerabilityId: string
  name: string
  epssScore: number
  copiedScore: number
}

export async function listOutdatedCopies(db: Db, workspaceId: string): Promise<OutdatedCopy[]> {
  const { rows } = await sql<OutdatedCopy>`
    select component_name, vulnerability_id, name, epss_score, copied_score from (
      select pair.component_name, pair.vulnerability_id, pair.name as copied_name, pair.epss_score as copied_score,
        coalesce((select known.name from vulnerabilities as known where known.id = pair.vulnerability_id), '') collate "C" as name,
        coalesce((select epss.score from epss_scores as epss where epss.cve_id = pair.vulnerability_id), '-1'::real)
          as epss_score
      from workspace_component_vulnerabilities as pair where pair.workspace_id = ${workspaceId} offset 0
    ) as each
    where copied_name <> name or copied_score <> epss_score`.execute(db)
  return rows
}

/** The workspace is locked. */
export async function writeCopies(
  tx: Tx,
  workspaceId: string,
  copies: readonly OutdatedCopy[],
): Promise<void> {
  await sql`
    update workspace_component_vulnerabilities as pair set name = known.name, epss_score = known.epss_score
    from unnest(${copies.map((one) => one.componentName)}::text[], ${copies.map((one) => one.vulnerabilityId)}::text[],
      ${copies.map((one) => one.name)}::text[], ${copies.map((one) => one.epssScore)}::real[])
      as known (component_name, vulnerability_id, name, epss_score)
    where pair.workspace_id = ${workspaceId} and pair.component_name = known.component_name
      and pair.vulnerability_id = known.vulnerability_id`.execute(tx)
}

export async function markRefreshed(
  tx: Tx,
  workspaceId: string,
  mark: { namesCopiedAt: Date; scoreRevision: number },
): Promise<void> {
  await tx
    .updateTable('workspaceKeptLocks')
    .set(mark)
    .where('workspaceId', '=', workspaceId)
    .execute()
}

/** Another number each time that EPSS scores change. */
export async function readScoreRevision(db: Db): Promise<number> {
  const found = await db
    .selectFrom('vulnerabilitySources')
    .select('scoreRevision')
    .where('source', '=', 'epss')
    .executeTakeFirst()
  return found?.scoreRevision ?? 0
}

/** `magnitudes`: the digits of the number of devices that run each package, if any do. The workspace is locked. */
export async function writeMagnitudes(
  tx: Tx,
  workspaceId: string,
  { magnitudes, state, at }: { magnitudes: ReadonlyMap<string, number>; state: string; at: Date },
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
  await tx
    .updateTable('workspaceKeptLocks')
    .set({ devicesCounted: state, devicesCountedAt: at })
    .where('workspaceId', '=', workspaceId)
    .execute()
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
