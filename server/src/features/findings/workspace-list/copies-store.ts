/** What a workspace copies of its vulnerabilities, as looking up all of them takes longer than all else: names, EPSS scores. */
import { sql } from 'kysely'
import type { Db, Tx } from '../../../platform/db/connect.ts'

interface Named {
  vulnerabilityId: string
  name: string
}

/** Names of vulnerabilities that the workspace has not copied; with `isChecked`, also those that changed since. */
export async function listUncopiedNames(
  db: Db,
  workspaceId: string,
  isChecked: boolean,
): Promise<Named[]> {
  const { rows } = await sql<Named>`
    select counted.vulnerability_id, known.name
    from workspace_vulnerabilities as counted
    cross join lateral (
      select each.name from vulnerabilities as each where each.id = counted.vulnerability_id offset 0
    ) as known
    where counted.workspace_id = ${workspaceId} and counted.name ${
      isChecked ? sql`is distinct from known.name` : sql`is null`
    }`.execute(db)
  return rows
}

/** `checkedAt`: when all were compared; undefined: they were not. The workspace is locked. */
export async function copyNames(
  tx: Tx,
  workspaceId: string,
  { names, checkedAt }: { names: readonly Named[]; checkedAt: Date | undefined },
): Promise<void> {
  await sql`
    update workspace_vulnerabilities as counted set name = known.name
    from unnest(${names.map((one) => one.vulnerabilityId)}::text[], ${names.map((one) => one.name)}::text[])
      as known (id, name)
    where counted.workspace_id = ${workspaceId} and counted.vulnerability_id = known.id`.execute(tx)
  if (checkedAt)
    await tx
      .updateTable('workspaceKeptLocks')
      .set({ namesCopiedAt: checkedAt })
      .where('workspaceId', '=', workspaceId)
      .execute()
}

interface Scored {
  vulnerabilityId: string
  /** As EPSS has it; -1: it has none. */
  score: number
  /** null: not copied yet. */
  keptScore: number | null
}

/** EPSS scores that the workspace has not copied; with `isChecked`, also those that changed since. */
export async function listUncopiedScores(
  db: Db,
  workspaceId: string,
  isChecked: boolean,
): Promise<Scored[]> {
  const { rows } = await sql<Scored>`
    select kept.vulnerability_id, known.score, kept.epss_score as kept_score
    from (
      select vulnerability_id, epss_score from workspace_vulnerabilities where workspace_id = ${workspaceId}
      union
      select vulnerability_id, epss_score from workspace_component_vulnerabilities where workspace_id = ${workspaceId}
    ) as kept
    cross join lateral (
      select coalesce((
        select epss.score from epss_scores as epss where epss.cve_id = kept.vulnerability_id), '-1'::real) as score offset 0
    ) as known
    where kept.epss_score ${isChecked ? sql`is distinct from known.score` : sql`is null`}`.execute(
    db,
  )
  return rows
}

/** `revision`: of the scores when all were compared; undefined: they were not. The workspace is locked. */
export async function copyScores(
  tx: Tx,
  workspaceId: string,
  { scores, revision }: { scores: readonly Scored[]; revision?: number },
): Promise<void> {
  const known = sql`unnest(${scores.map((one) => one.vulnerabilityId)}::text[], ${scores.map(({ score }) => score)}::real[])
      as known (id, score)`
  for (const table of ['workspace_vulnerabilities', 'workspace_component_vulnerabilities'])
    await sql`
      update ${sql.table(table)} as kept set epss_score = known.score from ${known}
      where kept.workspace_id = ${workspaceId} and kept.vulnerability_id = known.id
        and kept.epss_score is distinct from known.score`.execute(tx)
  if (revision !== undefined)
    await tx
      .updateTable('workspaceKeptLocks')
      .set({ scoreRevision: revision })
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
  const { numAffectedRows } = await sql`
    update workspace_packages as owned set device_magnitude = now.magnitude
    from (
      select each.package_id, coalesce(counted.magnitude, 0) as magnitude
      from workspace_packages as each
      left join unnest(${[...magnitudes.keys()]}::uuid[], ${[...magnitudes.values()]}::smallint[])
        as counted (package_id, magnitude) on counted.package_id = each.package_id
      where each.workspace_id = ${workspaceId}
    ) as now
    where owned.workspace_id = ${workspaceId} and owned.package_id = now.package_id
      and owned.device_magnitude <> now.magnitude`.execute(tx)
  if (numAffectedRows !== 0n) await sumUpMagnitudes(tx, workspaceId)
  await tx
    .updateTable('workspaceKeptLocks')
    .set({ devicesCounted: state, devicesCountedAt: at })
    .where('workspaceId', '=', workspaceId)
    .execute()
}

/** A vulnerability, and one of a component, has the magnitude of the package of it that most devices run. */
async function sumUpMagnitudes(tx: Tx, workspaceId: string): Promise<void> {
  await sql`
    update workspace_vulnerabilities as counted set device_magnitude = now.magnitude
    from (
      select kept.vulnerability_id, max(held.device_magnitude) as magnitude
      from workspace_matches as kept
      join workspace_packages as held on held.workspace_id = ${workspaceId} and held.package_id = kept.package_id
      where kept.workspace_id = ${workspaceId}
      group by kept.vulnerability_id
    ) as now
    where counted.workspace_id = ${workspaceId} and counted.vulnerability_id = now.vulnerability_id
      and counted.device_magnitude <> now.magnitude`.execute(tx)
  await sql`
    update workspace_component_vulnerabilities as counted set device_magnitude = now.magnitude
    from (
      select held.component_name, kept.vulnerability_id, max(held.device_magnitude) as magnitude
      from workspace_matches as kept
      join workspace_packages as held on held.workspace_id = ${workspaceId} and held.package_id = kept.package_id
      where kept.workspace_id = ${workspaceId}
      group by held.component_name, kept.vulnerability_id
    ) as now
    where counted.workspace_id = ${workspaceId} and counted.component_name = now.component_name
      and counted.vulnerability_id = now.vulnerability_id and counted.device_magnitude <> now.magnitude`.execute(
    tx,
  )
}
