import { type RawBuilder, sql } from 'kysely'
import type { OverrideSelector, PackageOverride } from '../../../formats/identity.ts'
import type { Db, Tx } from '../../../platform/db/connect.ts'
import type { DeclaredColumns } from '../parsing/identity-columns.ts'
import type { SelectorHandles } from './selector-handles.ts'

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
  madeFor: string[] | null
  anyVersion: boolean
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
  'madeFor',
  'anyVersion',
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

export function asOverride(row: OverrideRow): PackageOverride {
  const { selectedPurl, selectedCpe, selectedName, selectedVersion, anyVersion: _, ...others } = row
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

/** The components of a workspace, or of one firmware version. */
export interface ComponentScope {
  workspaceId: string
  firmwareVersionId?: string | undefined
}

const ofVersion = ({ workspaceId, firmwareVersionId }: ComponentScope) =>
  firmwareVersionId === undefined
    ? sql``
    : sql`and component.sbom_id in (
        select id from sboms where workspace_id = ${workspaceId} and firmware_version_id = ${firmwareVersionId})`

export async function listOverrides(db: Db, scope: ComponentScope) {
  const rows = await selectOverrides(db, scope).orderBy('createdAt').orderBy('id').execute()
  return rows.map(asListed)
}

export async function findOverride(db: Db, workspaceId: string, id: string) {
  const row = await selectOverrides(db, { workspaceId }).where('id', '=', id).executeTakeFirst()
  return row && asListed(row)
}

function selectOverrides(db: Db, scope: ComponentScope) {
  return db
    .selectFrom('packageOverrides')
    .select(COLUMNS)
    .select(['createdAt', 'createdByEmail', 'updatedAt'])
    .select(
      sql<number>`(
        select count(*)::int from sbom_components as component
        where component.workspace_id = ${scope.workspaceId}
          and component.override_id = package_overrides.id ${ofVersion(scope)}
      )`.as('componentCount'),
    )
    .where('workspaceId', '=', scope.workspaceId)
}

function asListed<Row extends OverrideRow>(row: Row) {
  const { selectedPurl: purl, selectedCpe: cpe, selectedName: name, ...others } = row
  const { selectedVersion: version, ...rest } = others
  return { ...rest, selector: { purl, cpe, name, version } }
}

/** The version that a component declares, in the document's order of preference; '' for none. */
const declaredVersion = sql`coalesce(component.version, substring(component.purl from '@([^@?#/]+)(?:[?#]|$)'),
  component.built_from ->> 'version', '')`

/**
 * Overrides that state a version are made for the declared versions that they first meet. Later SBOMs with other versions
 * are other software: the override does not apply to them, and the list of overrides shows them.
 */
export async function updateMadeFor(tx: Db, workspaceId: string): Promise<void> {
  await sql`
    update package_overrides as override set made_for = met.versions
    from (
      select component.override_id, array_agg(distinct ${declaredVersion}) as versions
      from package_overrides as unmet
      join sbom_components as component
        on component.workspace_id = unmet.workspace_id and component.override_id = unmet.id
      where unmet.workspace_id = ${workspaceId} and unmet.made_for is null and not unmet.any_version
        and unmet.version is not null and unmet.selected_version is null
      group by component.override_id
    ) as met
    where override.workspace_id = ${workspaceId} and override.id = met.override_id`.execute(tx)
}

/** Components without override that declare the same. */
export interface UnappliedRow extends DeclaredColumns {
  declaredVersion: string
  componentCount: number
}

/** Whether `component` may meet the selectors; it is also true of some that do not. */
export function meetsHandles({ names, keys }: SelectorHandles): RawBuilder<boolean> {
  const meets = [
    ...(names.length === 0
      ? []
      : [sql`component.package_name collate "C" = any(${names}::text[])`]),
    ...(keys.length === 0 ? [] : [sql`component.selector_keys && ${keys}::integer[]`]),
  ]
  return meets.length === 0 ? sql`false` : sql`(${sql.join(meets, sql` or `)})`
}

/** At least the components without override that the selectors meet. */
export async function listUnapplied(
  db: Db,
  scope: ComponentScope,
  handles: SelectorHandles,
): Promise<UnappliedRow[]> {
  const { rows } = await sql<UnappliedRow>`
    select component.vendor, component.package_name, component.version, component.purl, component.cpes,
      component.download_location, component.addresses, component.scope, component.built_from,
      ${declaredVersion} as declared_version, count(*)::int as component_count
    from sbom_components as component
    where component.workspace_id = ${scope.workspaceId} and component.override_id is null ${ofVersion(scope)}
      and ${meetsHandles(handles)}
    group by component.vendor, component.package_name, component.version, component.purl, component.cpes,
      component.download_location, component.addresses, component.scope, component.built_from`.execute(
    db,
  )
  return rows
}

/** Components that declare the same and have the same package now. */
export interface DeclaredAlike extends DeclaredColumns {
  declaredVersion: string
  packageId: string | null
  overrideId: string | null
  notMatchedReason: string | null
  /** One for each component. */
  firmwareVersionIds: string[]
}

/** At least the components that the selectors meet, and those to which the override applies now. */
export async function listDeclaredAlike(
  db: Db,
  workspaceId: string,
  { overrideId, ...handles }: SelectorHandles & { overrideId: string | undefined },
): Promise<DeclaredAlike[]> {
  const isOverridden =
    overrideId === undefined ? sql`false` : sql`component.override_id = ${overrideId}`
  const { rows } = await sql<DeclaredAlike>`
    select component.vendor, component.package_name, component.version, component.purl, component.cpes,
      component.download_location, component.addresses, component.scope, component.built_from, component.package_id,
      component.override_id, component.not_matched_reason, ${declaredVersion} as declared_version,
      array_agg(sbom.firmware_version_id) as firmware_version_ids
    from sbom_components as component
    join sboms as sbom on sbom.workspace_id = component.workspace_id and sbom.id = component.sbom_id
    where component.workspace_id = ${workspaceId} and sbom.parsing_state = 'Succeeded'
      and (${isOverridden} or ${meetsHandles(handles)})
    group by component.vendor, component.package_name, component.version, component.purl, component.cpes,
      component.download_location, component.addresses, component.scope, component.built_from, component.package_id,
      component.override_id, component.not_matched_reason
    order by component.package_name collate "C", component.version collate "C", component.package_id`.execute(
    db,
  )
  return rows
}

/** The override that has the selector. */
export async function findSelector(
  db: Db,
  workspaceId: string,
  selectorHash: string,
): Promise<{ id: string } | undefined> {
  return db
    .selectFrom('packageOverrides')
    .select('id')
    .where('workspaceId', '=', workspaceId)
    .where('selectorHash', '=', selectorHash)
    .executeTakeFirst()
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
