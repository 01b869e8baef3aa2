import { sql } from 'kysely'
import { announce } from '../../platform/db/announcements.ts'
import type { Db, Tx } from '../../platform/db/connect.ts'
import type { Replacement } from './replacement/rules.ts'

/** Why reading or matching an SBOM has failed so far. */
export interface SbomFailure {
  attempts: number
  isGivenUp: boolean
  reason: string
  failedAt: string
}

export async function listSboms(db: Db, workspaceId: string, firmwareVersionId: string) {
  return db
    .selectFrom('sboms')
    .select(['id', 'fileName', 'format', 'specVersion', 'parsingState', 'parsingError', 'warnings'])
    .select(['componentCount', 'sizeBytes', 'sha256', 'createdAt', 'vulnerabilitiesParsedAt'])
    .select(sql<Record<string, number>>`not_matched`.as('notMatched'))
    .select(sql<Replacement | null>`replaces`.as('replaces'))
    .select(sql<SbomFailure | null>`failure`.as('failure'))
    .where('workspaceId', '=', workspaceId)
    .where('firmwareVersionId', '=', firmwareVersionId)
    .orderBy('createdAt')
    .orderBy('id')
    .execute()
}

export async function findSbom(db: Db, workspaceId: string, sbomId: string) {
  return db
    .selectFrom('sboms')
    .select(['id', 'firmwareVersionId', 'fileName', 'format', 'parsingState', 'sizeBytes'])
    .select(['sha256', 'hasExternalReferences'])
    .select(sql<Replacement | null>`replaces`.as('replaces'))
    .select(sql<boolean>`staged_statements is not null`.as('isStaged'))
    .where('workspaceId', '=', workspaceId)
    .where('id', '=', sbomId)
    .executeTakeFirst()
}

export interface NewSbom {
  workspaceId: string
  id: string
  firmwareVersionId: string
  fileName: string
  sizeBytes: number
  sha256: string
  createdAt: Date
  uploadNumber: number
  replaces: Replacement | null
}

export async function listNames(
  db: Db,
  { workspaceId, firmwareVersionId }: { workspaceId: string; firmwareVersionId: string },
) {
  return db
    .selectFrom('sboms')
    .select(['id', 'fileName'])
    .where('workspaceId', '=', workspaceId)
    .where('firmwareVersionId', '=', firmwareVersionId)
    .execute()
}

/** Makes other uploads of the version wait until this transaction ends, so that each gets a number of its own. */
export async function lockUploadNumbers(tx: Tx, firmwareVersionId: string): Promise<void> {
  await sql`select pg_advisory_xact_lock(hashtextextended(${`uploads ${firmwareVersionId}`}, 0))`.execute(
    tx,
  )
}

/** Makes these SBOMs the last upload of the version. */
export async function updateUploadNumber(
  tx: Tx,
  { workspaceId, firmwareVersionId }: { workspaceId: string; firmwareVersionId: string },
  sbomIds: readonly string[],
): Promise<void> {
  await sql`
    update sboms set upload_number = last.number + 1
    from (
      select coalesce(max(upload_number), 0) as number from sboms
      where workspace_id = ${workspaceId} and firmware_version_id = ${firmwareVersionId}
    ) as last
    where workspace_id = ${workspaceId} and id = any(${sbomIds}::uuid[])`.execute(tx)
}

/** The same bytes were uploaded again, and the new upload says what it replaces. */
export async function updateUpload(
  tx: Tx,
  upload: Pick<NewSbom, 'workspaceId' | 'fileName' | 'replaces'> & { sbomId: string },
): Promise<void> {
  const { workspaceId, sbomId, ...columns } = upload
  await tx
    .updateTable('sboms')
    .set(columns)
    .where('workspaceId', '=', workspaceId)
    .where('id', '=', sbomId)
    .execute()
}

/** Inserts an SBOM. If the firmware version already has the same file, answers that SBOM. */
export async function insertSbom(tx: Tx, sbom: NewSbom) {
  const inserted = await tx
    .insertInto('sboms')
    .values({ ...sbom, parsingState: 'InProgress' })
    .onConflict((conflict) =>
      conflict.columns(['workspaceId', 'firmwareVersionId', 'sha256']).doNothing(),
    )
    .returning(['id', 'parsingState'])
    .executeTakeFirst()
  if (inserted) return { ...inserted, isNew: true }
  const existing = await tx
    .selectFrom('sboms')
    .select(['id', 'parsingState'])
    .where('workspaceId', '=', sbom.workspaceId)
    .where('firmwareVersionId', '=', sbom.firmwareVersionId)
    .where('sha256', '=', sbom.sha256)
    .executeTakeFirstOrThrow()
  return { ...existing, isNew: false }
}

/** The files of a workspace that wait to be parsed. */
export async function countWaiting(db: Db, workspaceId: string) {
  const { rows } = await sql<{ files: number; bytes: number }>`
    select count(*)::int as files, coalesce(sum(size_bytes), 0)::float8 as bytes
    from sboms where workspace_id = ${workspaceId} and parsing_state = 'InProgress'`.execute(db)
  return rows[0] ?? { files: 0, bytes: 0 }
}

export async function updateSbomAsInProgress(
  tx: Tx,
  workspaceId: string,
  sbomId: string,
): Promise<void> {
  await tx
    .updateTable('sboms')
    .set({ parsingState: 'InProgress', parsingError: null, failure: null })
    .where('workspaceId', '=', workspaceId)
    .where('id', '=', sbomId)
    .execute()
}

export async function deleteSbom(tx: Tx, workspaceId: string, sbomId: string): Promise<void> {
  await tx
    .deleteFrom('sboms')
    .where('workspaceId', '=', workspaceId)
    .where('id', '=', sbomId)
    .execute()
}

/** Marks SBOMs as evaluated whose packages are all matched, by whichever job. What failed before is over. */
export async function updateEvaluatedSboms(
  db: Db,
  change: { workspaceId: string; firmwareVersionId: string; at: Date },
): Promise<void> {
  const { workspaceId, firmwareVersionId, at } = change
  await db
    .updateTable('sboms as sbom')
    .set({ vulnerabilitiesParsedAt: at, failure: null })
    .where('sbom.workspaceId', '=', workspaceId)
    .where('sbom.firmwareVersionId', '=', firmwareVersionId)
    .where('sbom.parsingState', '=', 'Succeeded')
    .where('sbom.vulnerabilitiesParsedAt', 'is', null)
    .where((eb) =>
      eb.not(
        eb.exists(
          eb
            .selectFrom('sbomComponents as component')
            .innerJoin('packages as package', 'package.id', 'component.packageId')
            .where('component.workspaceId', '=', workspaceId)
            .whereRef('component.sbomId', '=', 'sbom.id')
            .where('package.matchedAt', 'is', null),
        ),
      ),
    )
    .execute()
  await announce(db, workspaceId, ['sboms', 'firmware'])
}
