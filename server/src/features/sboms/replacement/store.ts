import { type RawBuilder, sql } from 'kysely'
import type { SbomStatement } from '../../../formats/sboms/model.ts'
import type { Db, Tx } from '../../../platform/db/connect.ts'
import type { ParsingState } from '../schemas.ts'
import type { Replaceable, Replacement } from './rules.ts'

interface VersionScope {
  workspaceId: string
  firmwareVersionId: string
}

export interface SbomOfVersion extends Replaceable {
  parsingState: ParsingState
  isStaged: boolean
  componentCount: number
  sizeBytes: number
  sha256: string
  createdAt: Date
}

/** In the order of their uploads. */
export async function listSbomsOfVersion(
  db: Db,
  { workspaceId, firmwareVersionId }: VersionScope,
): Promise<SbomOfVersion[]> {
  return db
    .selectFrom('sboms')
    .select(['id', 'fileName', 'namespace', 'uploadNumber', 'parsingState', 'componentCount'])
    .select(['sizeBytes', 'sha256', 'createdAt'])
    .select(sql<Replacement | null>`replaces`.as('replaces'))
    .select(sql<boolean>`staged_statements is not null`.as('isStaged'))
    .where('workspaceId', '=', workspaceId)
    .where('firmwareVersionId', '=', firmwareVersionId)
    .orderBy('uploadNumber')
    .orderBy('createdAt')
    .orderBy('id')
    .execute()
}

/** It is read. It counts when the other files of its upload are read, too. */
export async function stageSbom(
  tx: Tx,
  sbom: { workspaceId: string; sbomId: string; statements: readonly SbomStatement[] },
): Promise<void> {
  await tx
    .updateTable('sboms')
    .set({ parsingState: 'InProgress', stagedStatements: JSON.stringify(sbom.statements) })
    .where('workspaceId', '=', sbom.workspaceId)
    .where('id', '=', sbom.sbomId)
    .execute()
}

/** Answers the statements of the documents. */
export async function releaseStaged(
  tx: Tx,
  workspaceId: string,
  ids: readonly string[],
): Promise<{ sbomId: string; statements: SbomStatement[] }[]> {
  const { rows } = await sql<{ sbomId: string; statements: SbomStatement[] }>`
    with staged as (
      select id, staged_statements from sboms
      where workspace_id = ${workspaceId} and id = any(${ids}::uuid[]) for no key update
    )
    update sboms as sbom set parsing_state = 'Succeeded', staged_statements = null
    from staged where sbom.workspace_id = ${workspaceId} and sbom.id = staged.id
    returning sbom.id as sbom_id, staged.staged_statements as statements`.execute(tx)
  return rows
}

/** Another file of their upload cannot be read. */
export async function failStaged(
  tx: Tx,
  failure: { workspaceId: string; ids: readonly string[]; parsingError: string },
): Promise<void> {
  await tx
    .updateTable('sboms')
    .set({
      parsingState: 'Failed',
      parsingError: failure.parsingError,
      stagedStatements: null,
      componentCount: 0,
    })
    .where('workspaceId', '=', failure.workspaceId)
    .where(sql<boolean>`id = any(${failure.ids}::uuid[])`)
    .execute()
  await tx
    .deleteFrom('sbomComponents')
    .where('workspaceId', '=', failure.workspaceId)
    .where(sql<boolean>`sbom_id = any(${failure.ids}::uuid[])`)
    .execute()
}

export interface ReplacedPair {
  id: string
  replacedBy: string
}

/** Moves SBOMs to those that were replaced. Their components go, their files stay. */
export async function archiveSboms(
  tx: Tx,
  { workspaceId, pairs, at }: { workspaceId: string; pairs: readonly ReplacedPair[]; at: Date },
): Promise<void> {
  const ids = pairs.map(({ id }) => id)
  await sql`
    insert into replaced_sboms (workspace_id, id, firmware_version_id, file_name, format, spec_version, parsing_state,
      component_count, size_bytes, sha256, created_at, grades, replaced_at, replaced_by)
    select sbom.workspace_id, sbom.id, sbom.firmware_version_id, sbom.file_name, sbom.format, sbom.spec_version,
      sbom.parsing_state, sbom.component_count, sbom.size_bytes, sbom.sha256, sbom.created_at, sbom.grades,
      ${at}::timestamptz,
      pair.replaced_by
    from sboms as sbom
    join unnest(${ids}::uuid[], ${pairs.map(({ replacedBy }) => replacedBy)}::uuid[]) as pair (id, replaced_by)
      on pair.id = sbom.id
    where sbom.workspace_id = ${workspaceId}`.execute(tx)
  await tx
    .deleteFrom('sboms')
    .where('workspaceId', '=', workspaceId)
    .where(sql<boolean>`id = any(${ids}::uuid[])`)
    .execute()
}

const keptUntil: RawBuilder<Date> = sql`replaced_at + make_interval(days => (
  select replaced_sbom_days from workspaces where workspaces.id = replaced_sboms.workspace_id))`

/** The newest first. `countedAt`: those that counted at the instant. */
export async function listReplaced(db: Db, { workspaceId, firmwareVersionId }: VersionScope) {
  return db
    .selectFrom('replacedSboms')
    .select(['id', 'fileName', 'format', 'specVersion', 'componentCount', 'sizeBytes', 'sha256'])
    .select(['createdAt', 'replacedAt', 'replacedBy as replacedById'])
    .select(keptUntil.as('keptUntil'))
    .where('workspaceId', '=', workspaceId)
    .where('firmwareVersionId', '=', firmwareVersionId)
    .orderBy('replacedAt', 'desc')
    .orderBy('id', 'desc')
    .execute()
}

export async function findReplaced(db: Db, workspaceId: string, sbomId: string) {
  return db
    .selectFrom('replacedSboms')
    .select([
      'id',
      'firmwareVersionId',
      'fileName',
      'format',
      'parsingState',
      'sizeBytes',
      'sha256',
    ])
    .select(sql<boolean>`false`.as('hasExternalReferences'))
    .where('workspaceId', '=', workspaceId)
    .where('id', '=', sbomId)
    .executeTakeFirst()
}

/** The files of replaced SBOMs that a workspace keeps. */
export async function listReplacedFiles(db: Db, workspaceId: string) {
  return db
    .selectFrom('replacedSboms')
    .select(['id', 'firmwareVersionId', 'fileName', 'sizeBytes', 'sha256'])
    .where('workspaceId', '=', workspaceId)
    .orderBy('id')
    .execute()
}

/** Answers false if it was deleted meanwhile. */
export async function deleteReplaced(
  tx: Tx,
  workspaceId: string,
  sbomId: string,
): Promise<boolean> {
  const { numDeletedRows } = await tx
    .deleteFrom('replacedSboms')
    .where('workspaceId', '=', workspaceId)
    .where('id', '=', sbomId)
    .executeTakeFirst()
  return numDeletedRows === 1n
}

/** Deletes those that were replaced longer ago than the workspace keeps them: at most `limit` of them. */
export async function deleteExpired(
  tx: Tx,
  {
    workspaceId,
    now,
    limit,
    keptVersionIds,
  }: { workspaceId: string; now: Date; limit: number; keptVersionIds: readonly string[] },
): Promise<{ id: string; firmwareVersionId: string; sizeBytes: number }[]> {
  const { rows } = await sql<{ id: string; firmwareVersionId: string; sizeBytes: number }>`
    delete from replaced_sboms
    where workspace_id = ${workspaceId} and id in (
      select id from replaced_sboms
      where workspace_id = ${workspaceId} and replaced_at <= ${now}::timestamptz - make_interval(days => (
        select replaced_sbom_days from workspaces where id = ${workspaceId}))
        and firmware_version_id <> all(${keptVersionIds}::uuid[])
      order by id limit ${limit})
    returning id, firmware_version_id, size_bytes`.execute(tx)
  return rows
}
