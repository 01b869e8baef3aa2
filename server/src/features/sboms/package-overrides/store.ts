import { sql } from 'kysely'
import type { OverrideSelector, PackageOverride } from '../../../formats/identity.ts'
import type { Db, Tx } from '../../../platform/db/connect.ts'

export interface OverrideRow {
  id: string
  selectedPurl: string | null
  selectedCpe: string | null
  selectedName: string | null
  selectedVersion: string | null
  purls: string[]
  cpes: string[]
  version: string | null
  ignored: boolean
  reason: string | null
}

const COLUMNS = [
  'id',
  'selectedPurl',
  'selectedCpe',
  'selectedName',
  'selectedVersion',
  'purls',
  'cpes',
  'version',
  'ignored',
  'reason',
] as const

export interface OverrideSnapshot {
  revision: number
  overrides: PackageOverride[]
}

/** Reads the revision first: if the overrides change meanwhile, the revision is too old, and the caller starts again. */
export async function readOverrides(db: Db, workspaceId: string): Promise<OverrideSnapshot> {
  const row = await db
    .selectFrom('packageOverrideRevisions')
    .select('revision')
    .where('workspaceId', '=', workspaceId)
    .executeTakeFirst()
  const rows = await db
    .selectFrom('packageOverrides')
    .select(COLUMNS)
    .where('workspaceId', '=', workspaceId)
    .orderBy('id')
    .execute()
  return { revision: row?.revision ?? 0, overrides: rows.map(asOverride) }
}

function asOverride(row: OverrideRow): PackageOverride {
  const { selectedPurl, selectedCpe, selectedName, selectedVersion, ...others } = row
  const selector: OverrideSelector = {
    purl: selectedPurl,
    cpe: selectedCpe,
    name: selectedName,
    version: selectedVersion,
  }
  return { ...others, selector }
}

/** Blocks changes of the workspace's overrides until the transaction ends. Answers their revision. */
export async function lockOverrides(tx: Tx, workspaceId: string): Promise<number> {
  await tx
    .insertInto('packageOverrideRevisions')
    .values({ workspaceId, revision: 0 })
    .onConflict((conflict) => conflict.column('workspaceId').doNothing())
    .execute()
  const { revision } = await tx
    .selectFrom('packageOverrideRevisions')
    .select('revision')
    .where('workspaceId', '=', workspaceId)
    .forShare()
    .executeTakeFirstOrThrow()
  return revision
}

/** Waits for transactions that write components identified with the present overrides. */
export async function raiseRevision(tx: Tx, workspaceId: string): Promise<void> {
  await tx
    .insertInto('packageOverrideRevisions')
    .values({ workspaceId, revision: 1 })
    .onConflict((conflict) =>
      conflict
        .column('workspaceId')
        .doUpdateSet((set) => ({ revision: set('packageOverrideRevisions.revision', '+', 1) })),
    )
    .execute()
}

export async function listOverrides(db: Db, workspaceId: string) {
  const rows = await selectOverrides(db, workspaceId).orderBy('createdAt').orderBy('id').execute()
  return rows.map(asListed)
}

export async function findOverride(db: Db, workspaceId: string, id: string) {
  const row = await selectOverrides(db, workspaceId).where('id', '=', id).executeTakeFirst()
  return row && asListed(row)
}

function selectOverrides(db: Db, workspaceId: string) {
  return db
    .selectFrom('packageOverrides')
    .select(COLUMNS)
    .select(['createdAt', 'createdByEmail', 'updatedAt'])
    .select(
      sql<number>`(
        select count(*)::int from sbom_components as component
        where component.workspace_id = package_overrides.workspace_id
          and component.override_id = package_overrides.id
      )`.as('componentCount'),
    )
    .where('workspaceId', '=', workspaceId)
}

function asListed<Row extends OverrideRow>(row: Row) {
  const { selectedPurl: purl, selectedCpe: cpe, selectedName: name, ...others } = row
  const { selectedVersion: version, ...rest } = others
  return { ...rest, selector: { purl, cpe, name, version } }
}

export interface OverrideValues extends Omit<OverrideRow, 'id'> {
  selectorHash: string
  updatedAt: Date
}

export async function insertOverride(
  tx: Tx,
  row: OverrideValues & { workspaceId: string; id: string; createdByEmail: string | null },
): Promise<void> {
  await tx
    .insertInto('packageOverrides')
    .values({ ...row, createdAt: row.updatedAt })
    .execute()
}

export async function updateOverride(
  tx: Tx,
  { workspaceId, id, ...values }: OverrideValues & { workspaceId: string; id: string },
): Promise<void> {
  await tx
    .updateTable('packageOverrides')
    .set(values)
    .where('workspaceId', '=', workspaceId)
    .where('id', '=', id)
    .execute()
}

export async function deleteOverride(tx: Tx, workspaceId: string, id: string): Promise<void> {
  await tx
    .deleteFrom('packageOverrides')
    .where('workspaceId', '=', workspaceId)
    .where('id', '=', id)
    .execute()
}
