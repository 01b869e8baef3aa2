/** Components that may have to be identified again: overrides or rules have changed. */
import { type RawBuilder, sql } from 'kysely'
import type { BuiltFrom, ComponentScope } from '../../../formats/sboms/model.ts'
import type { Db, Tx } from '../../../platform/db/connect.ts'
import type { SelectorHandles } from '../package-overrides/selector-handles.ts'
import { meetsHandles } from '../package-overrides/store.ts'
import type { IdentityColumns } from '../parsing/identity-columns.ts'

/** All components of SBOMs read with older rules, or those that an override applies or may apply to. */
export type Candidates = { olderThan: number } | { selected: SelectorHandles }

export interface IdentifiedRow extends IdentityColumns {
  sbomId: string
  node: number
  id: string
  vendor: string | null
  packageName: string
  version: string | null
  purl: string | null
  cpes: string[]
  downloadLocation: string | null
  addresses: string[]
  scope: ComponentScope | null
  builtFrom: BuiltFrom | null
}

function areCandidates(candidates: Candidates): RawBuilder<boolean> {
  if ('olderThan' in candidates) return sql`sbom.identity_version < ${candidates.olderThan}`
  return sql`(component.override_id is not null or ${meetsHandles(candidates.selected)})`
}

export async function listVersionsWithCandidates(
  db: Db,
  workspaceId: string,
  candidates: Candidates,
): Promise<string[]> {
  const { rows } = await (
    'olderThan' in candidates
      ? versionsOfOlderRules(workspaceId, candidates)
      : versionsWithSelected(workspaceId, candidates)
  ).execute(db)
  return rows.map(({ id }) => id)
}

/** An SBOM without components can be of older rules too. */
const versionsOfOlderRules = (workspaceId: string, candidates: Candidates) => sql<{ id: string }>`
  select distinct sbom.firmware_version_id as id from sboms as sbom
  where sbom.workspace_id = ${workspaceId} and sbom.parsing_state = 'Succeeded' and ${areCandidates(candidates)}
  order by id`

/** Components are found by their indexes first: reading those of each SBOM would read the whole workspace. */
const versionsWithSelected = (workspaceId: string, candidates: Candidates) => sql<{ id: string }>`
  with selected as materialized (
    select component.sbom_id from sbom_components as component
    where component.workspace_id = ${workspaceId} and ${areCandidates(candidates)}
  )
  select distinct sbom.firmware_version_id as id from sboms as sbom
  where sbom.workspace_id = ${workspaceId} and sbom.parsing_state = 'Succeeded'
    and sbom.id in (select selected.sbom_id from selected)
  order by id`

const FETCH = 1_000

export interface Version {
  workspaceId: string
  firmwareVersionId: string
}

export async function* readCandidates(
  db: Db,
  { workspaceId, firmwareVersionId }: Version,
  candidates: Candidates,
): AsyncGenerator<IdentifiedRow[]> {
  let after = { sbomId: '00000000-0000-0000-0000-000000000000', node: -1 }
  for (;;) {
    const rows: IdentifiedRow[] = await db
      .selectFrom('sboms as sbom')
      .innerJoin('sbomComponents as component', (join) =>
        join
          .onRef('component.workspaceId', '=', 'sbom.workspaceId')
          .onRef('component.sbomId', '=', 'sbom.id'),
      )
      .select(['component.sbomId', 'component.node', 'component.id', 'component.vendor'])
      .select(['component.packageName', 'component.version', 'component.purl', 'component.cpes'])
      .select(['component.downloadLocation', 'component.addresses', 'component.scope'])
      .select(sql<BuiltFrom | null>`component.built_from`.as('builtFrom'))
      .select(['component.packageId', 'component.sourceName', 'component.notMatchedReason'])
      .select('component.overrideId')
      .where('sbom.workspaceId', '=', workspaceId)
      .where('sbom.firmwareVersionId', '=', firmwareVersionId)
      .where('sbom.parsingState', '=', 'Succeeded')
      .where(areCandidates(candidates))
      .where(sql<boolean>`(component.sbom_id, component.node) > (${after.sbomId}, ${after.node})`)
      .orderBy('component.sbomId')
      .orderBy('component.node')
      .limit(FETCH)
      .execute()
    const last = rows.at(-1)
    if (!last) return
    yield rows
    after = last
  }
}

export interface ReidentifiedComponent extends IdentityColumns {
  before: IdentifiedRow
}

/** Skips components that changed since they were read. Answers how many were updated. */
export async function updateIdentities(
  tx: Tx,
  workspaceId: string,
  changes: readonly ReidentifiedComponent[],
): Promise<number> {
  const json = JSON.stringify(
    changes.map(({ before, ...after }) => ({
      ...after,
      sbomId: before.sbomId,
      node: before.node,
      id: before.id,
      builtFrom: before.builtFrom,
      oldPackageId: before.packageId,
      oldOverrideId: before.overrideId,
    })),
  )
  const { numAffectedRows = 0n } = await sql`
    update sbom_components as component
    set package_id = input."packageId", source_name = input."sourceName",
      not_matched_reason = input."notMatchedReason", override_id = input."overrideId"
    from json_to_recordset(${json}::json) as input (
      "sbomId" uuid, node integer, id uuid, "builtFrom" jsonb, "packageId" uuid, "sourceName" text,
      "notMatchedReason" text, "overrideId" uuid, "oldPackageId" uuid, "oldOverrideId" uuid
    )
    where component.workspace_id = ${workspaceId} and component.sbom_id = input."sbomId"
      and component.node = input.node and component.id = input.id
      and (component.built_from, component.package_id, component.override_id)
        is not distinct from (input."builtFrom", input."oldPackageId", input."oldOverrideId")`.execute(
    tx,
  )
  return Number(numAffectedRows)
}

export async function updateIdentityVersion(
  tx: Tx,
  { workspaceId, firmwareVersionId }: Version,
  identityVersion: number,
): Promise<void> {
  await sql`
    with locked as materialized (
      select id from sboms
      where workspace_id = ${workspaceId} and firmware_version_id = ${firmwareVersionId}
        and parsing_state = 'Succeeded' and identity_version < ${identityVersion}
      order by id for no key update
    )
    update sboms set identity_version = ${identityVersion}
    where workspace_id = ${workspaceId} and id in (select id from locked)`.execute(tx)
}

/** Workspaces with SBOMs that older parsers or older rules have read. */
export async function listOutdatedWorkspaces(
  db: Db,
  { parserVersion, identityVersion }: { parserVersion: number; identityVersion: number },
): Promise<string[]> {
  const rows = await db
    .selectFrom('sboms')
    .select('workspaceId')
    .distinct()
    .where('parsingState', '=', 'Succeeded')
    .where((where) =>
      where.or([
        where('parserVersion', '<', parserVersion),
        where('identityVersion', '<', identityVersion),
      ]),
    )
    .orderBy('workspaceId')
    .execute()
  return rows.map(({ workspaceId }) => workspaceId)
}

export async function listSbomsOfOlderParsers(
  db: Db,
  workspaceId: string,
  parserVersion: number,
): Promise<string[]> {
  const rows = await db
    .selectFrom('sboms')
    .select('id')
    .where('workspaceId', '=', workspaceId)
    .where('parsingState', '=', 'Succeeded')
    .where('parserVersion', '<', parserVersion)
    .orderBy('firmwareVersionId')
    .orderBy('id')
    .execute()
  return rows.map(({ id }) => id)
}

export interface SbomSelection {
  workspaceId?: string
  firmwareVersionId?: string
}

export async function listSelectedWorkspaces(
  db: Db,
  { workspaceId, firmwareVersionId }: SbomSelection,
): Promise<string[]> {
  let query = db.selectFrom('sboms').select('workspaceId').distinct().orderBy('workspaceId')
  if (workspaceId !== undefined) query = query.where('workspaceId', '=', workspaceId)
  if (firmwareVersionId !== undefined)
    query = query.where('firmwareVersionId', '=', firmwareVersionId)
  const rows = await query.execute()
  return rows.map((row) => row.workspaceId)
}

/** Marks parsed SBOMs as read by the oldest parser, and failed ones as just uploaded. */
export async function updateSbomsAsOutdated(
  tx: Tx,
  {
    workspaceId,
    firmwareVersionId = null,
  }: { workspaceId: string; firmwareVersionId?: string | null },
) {
  const { rows } = await sql<{ id: string; parsingState: 'Succeeded' | 'InProgress' }>`
    with locked as materialized (
      select id from sboms
      where workspace_id = ${workspaceId} and parsing_state <> 'InProgress'
        and (${firmwareVersionId}::uuid is null or firmware_version_id = ${firmwareVersionId})
      order by id for no key update
    )
    update sboms
    set parser_version = case when parsing_state = 'Succeeded' then 0 else parser_version end,
      parsing_state = case when parsing_state = 'Failed' then 'InProgress' else parsing_state end,
      parsing_error = null
    where workspace_id = ${workspaceId} and id in (select id from locked)
    returning id, parsing_state`.execute(tx)
  return rows
}
