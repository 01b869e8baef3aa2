/** Dates that a workspace states for components itself, and the packages that they are about. */
import { sql } from 'kysely'
import type { PackageIdentity } from '../../formats/identity.ts'
import type { Db, Tx } from '../../platform/db/connect.ts'

export interface StatementFields {
  purl: string | null
  name: string | null
  versionFrom: string | null
  versionBefore: string | null
  endsOn: string | null
  link: string | null
  note: string | null
}

export interface StatementRow extends StatementFields {
  id: string
  keys: string[]
  packageCount: number
  createdAt: Date
  createdByEmail: string | null
  updatedAt: Date
}

/** The newest first. */
export async function listStatements(
  db: Db,
  workspaceId: string,
  id?: string,
): Promise<StatementRow[]> {
  const { rows } = await sql<StatementRow>`
    select id, purl, name, version_from, version_before, ends_on::text as ends_on, link, note, keys, created_at,
      created_by_email, updated_at, (
        select count(*)::int from support_statement_packages as chosen
        where chosen.workspace_id = ${workspaceId} and chosen.statement_id = statement.id
          and exists (select from firmware_version_packages as held where held.workspace_id = ${workspaceId}
            and held.package_id = chosen.package_id and held.until is null)) as package_count
    from support_statements as statement
    where workspace_id = ${workspaceId} and ${id === undefined ? sql`true` : sql`id = ${id}`}
    order by created_at desc, id`.execute(db)
  return rows
}

/** Changes of the statements of a workspace, and inventories that are compared with them, run one after another. */
export async function lockStatements(tx: Tx, workspaceId: string): Promise<void> {
  await sql`select pg_advisory_xact_lock(hashtextextended('support-statements:' || ${workspaceId}, 0))`.execute(
    tx,
  )
}

export async function countStatements(tx: Tx, workspaceId: string): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*)::int as count from support_statements where workspace_id = ${workspaceId}`.execute(
    tx,
  )
  return rows[0]?.count ?? 0
}

interface WrittenStatement extends StatementFields {
  workspaceId: string
  id: string
  keys: readonly string[]
  at: Date
}

export async function insertStatement(
  tx: Tx,
  row: WrittenStatement & { createdByEmail: string | null },
): Promise<void> {
  const { workspaceId, id, purl, name, keys, versionFrom, versionBefore, endsOn, link, note } = row
  await sql`
    insert into support_statements (workspace_id, id, purl, name, keys, version_from, version_before, ends_on, link, note,
      created_at, created_by_email, updated_at)
    values (${workspaceId}, ${id}, ${purl}, ${name}, ${keys}::text[], ${versionFrom}, ${versionBefore}, ${endsOn}::date,
      ${link}, ${note}, ${row.at}, ${row.createdByEmail}, ${row.at})`.execute(tx)
}

export async function updateStatement(tx: Tx, row: WrittenStatement): Promise<void> {
  const { workspaceId, id, purl, name, keys, versionFrom, versionBefore, endsOn, link, note } = row
  await sql`
    update support_statements set purl = ${purl}, name = ${name}, keys = ${keys}::text[], version_from = ${versionFrom},
      version_before = ${versionBefore}, ends_on = ${endsOn}::date, link = ${link}, note = ${note}, updated_at = ${row.at}
    where workspace_id = ${workspaceId} and id = ${id}`.execute(tx)
}

export async function deleteStatement(tx: Tx, workspaceId: string, id: string): Promise<void> {
  await sql`delete from support_statements where workspace_id = ${workspaceId} and id = ${id}`.execute(
    tx,
  )
}

export interface ChosenPackage {
  id: string
  identity: PackageIdentity
}

/** Packages that versions of the workspace hold now, and that have one of the names. */
export async function listPackagesOfKeys(
  tx: Tx,
  { workspaceId, keys }: { workspaceId: string; keys: readonly string[] },
): Promise<ChosenPackage[]> {
  const { rows } = await sql<ChosenPackage>`
    select packages.id, packages.identity from packages
    where id in (select package_id from package_keys where key = any(${keys}::text[]))
      and exists (select from firmware_version_packages as held
        where held.workspace_id = ${workspaceId} and held.package_id = packages.id and held.until is null)
    order by packages.id`.execute(tx)
  return rows
}

/** Those of one version. */
export async function listPackagesOfVersion(
  tx: Tx,
  version: { workspaceId: string; firmwareVersionId: string; keys: readonly string[] },
): Promise<ChosenPackage[]> {
  const { rows } = await sql<ChosenPackage>`
    select packages.id, packages.identity from firmware_version_packages as held
    join packages on packages.id = held.package_id
    where held.workspace_id = ${version.workspaceId} and held.firmware_version_id = ${version.firmwareVersionId}
      and held.until is null
      and exists (select from package_keys where package_keys.package_id = held.package_id
        and package_keys.key = any(${version.keys}::text[]))
    order by packages.id`.execute(tx)
  return rows
}

export async function replaceChosen(
  tx: Tx,
  { workspaceId, statementId, packageIds }: Chosen,
): Promise<void> {
  await sql`
    delete from support_statement_packages where workspace_id = ${workspaceId} and statement_id = ${statementId}`.execute(
    tx,
  )
  await addChosen(tx, { workspaceId, statementId, packageIds })
}

interface Chosen {
  workspaceId: string
  statementId: string
  packageIds: readonly string[]
}

export async function addChosen(tx: Tx, { workspaceId, statementId, packageIds }: Chosen) {
  if (packageIds.length === 0) return
  await sql`
    insert into support_statement_packages (workspace_id, package_id, statement_id)
    select ${workspaceId}, package_id, ${statementId} from unnest(${packageIds}::uuid[]) as package_id
    on conflict do nothing`.execute(tx)
}
