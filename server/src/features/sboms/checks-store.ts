/** What `admin doctor` examines of SBOMs: files, jobs, components. */
import { sql } from 'kysely'
import type { AppContext } from '../../platform/context.ts'
import type { Db } from '../../platform/db/connect.ts'
import {
  type Check,
  type DerivedRows,
  type ExamineOptions,
  summariseFaults,
  findDifferences,
  readSnapshot,
  listDifferingKeys,
} from '../../platform/doctor/check.ts'
import {
  examineFiles,
  examineLeftOvers,
  computeLeftOverInstant,
} from '../../platform/doctor/stored-files.ts'
import { listWithoutJob } from '../../platform/jobs/late-jobs.ts'
import { reparseSbom } from './parsing/service.ts'
import { SHOWN_REASON, updateNotMatched } from './parsing/store.ts'
import { listGivenUp } from './failures/store.ts'
import { SbomUploaded, SmallSbomUploaded } from './schemas.ts'
import { findStoredSbom, listOrphanedFiles, sweepOrphanedFiles } from './service.ts'
import { listReplacedFiles } from './replacement/store.ts'
import { nameSbomBlob, SBOM_BLOBS } from './stored-file.ts'

const COMPONENTS: DerivedRows = {
  table: 'sboms',
  keys: ['id'],
  values: ['component_count'],
  states: sql`parsing_state = 'Succeeded' and component_count <> 0`,
  expected: (workspaceId) => sql`
    select sbom.id, count(*)::int as component_count
    from sboms as sbom
    join sbom_components as component
      on component.workspace_id = sbom.workspace_id and component.sbom_id = sbom.id
    where sbom.workspace_id = ${workspaceId} and sbom.parsing_state = 'Succeeded' group by sbom.id`,
}

const NOT_MATCHED: DerivedRows = {
  table: 'sboms',
  keys: ['id'],
  values: ['not_matched'],
  states: sql`parsing_state = 'Succeeded' and not_matched <> '{}'`,
  expected: (workspaceId) => sql`
    select sbom_id as id, jsonb_object_agg(reason, amount) as not_matched
    from (
      select component.sbom_id, ${SHOWN_REASON} as reason, count(*) as amount
      from sbom_components as component
      join sboms as sbom on sbom.workspace_id = component.workspace_id and sbom.id = component.sbom_id
      where component.workspace_id = ${workspaceId} and component.not_matched_reason is not null
        and sbom.parsing_state = 'Succeeded'
      group by 1, 2
    ) as reasons group by sbom_id`,
}

async function repairNotMatched(ctx: AppContext, workspaceId: string): Promise<void> {
  const ids = await readSnapshot(ctx, (db) => listDifferingKeys(db, NOT_MATCHED, workspaceId, 'id'))
  await ctx.db.transaction().execute((tx) => updateNotMatched(tx, workspaceId, ids))
}

/** From the stored files, as after an upgrade of the parsers. */
async function repairComponents(ctx: AppContext, workspaceId: string): Promise<void> {
  const ids = await readSnapshot(ctx, (db) => listDifferingKeys(db, COMPONENTS, workspaceId, 'id'))
  for (const sbomId of ids) await reparseSbom(ctx, { workspaceId, sbomId })
}

/** SBOMs that wait to be parsed, and that no job will parse. */
async function listForgotten(db: Db, workspaceId: string): Promise<string[]> {
  const rows = await db
    .selectFrom('sboms')
    .select('id')
    .where('workspaceId', '=', workspaceId)
    .where('parsingState', '=', 'InProgress')
    .where('stagedStatements', 'is', null)
    .orderBy('id')
    .execute()
  const forgotten = await listWithoutJob(db, rows, {
    messages: [SbomUploaded, SmallSbomUploaded],
    isMeant: sql`job.data ->> 'sbomId' = asked.row ->> 'id'`,
  })
  return forgotten.map(({ id }) => id)
}

async function parseForgotten(ctx: AppContext, workspaceId: string): Promise<void> {
  const ids = await readSnapshot(ctx, (db) => listForgotten(db, workspaceId))
  await ctx.db.transaction().execute(async (tx) => {
    for (const sbomId of ids) await ctx.queue.enqueue(tx, SbomUploaded, { workspaceId, sbomId })
  })
}

/** The files of a workspace that rows name. */
export async function listSbomFiles(db: Db, workspaceId: string) {
  const rows = await db
    .selectFrom('sboms')
    .select(['id', 'firmwareVersionId', 'fileName', 'sizeBytes', 'sha256'])
    .where('workspaceId', '=', workspaceId)
    .orderBy('id')
    .execute()
  const replaced = await listReplacedFiles(db, workspaceId)
  return [...rows, ...replaced].map(({ id, firmwareVersionId, fileName, sizeBytes, sha256 }) => ({
    id,
    key: nameSbomBlob({ workspaceId, firmwareVersionId, sbomId: id }),
    owner: `SBOM ${id} (${fileName})`,
    sizeBytes,
    sha256,
  }))
}

async function findFileFaults(
  { db, blobs }: AppContext,
  workspaceId: string,
  options: ExamineOptions,
) {
  const files = await listSbomFiles(db, workspaceId)
  const ids = new Map(files.map(({ key, id }) => [key, id]))
  const references = {
    prefix: `${SBOM_BLOBS}${workspaceId}/`,
    files,
    isReferred: async ({ key }: { key: string }) =>
      (await findStoredSbom(db, workspaceId, ids.get(key) ?? '')) !== undefined,
  }
  return examineFiles(blobs, references, options)
}

export const sbomChecks: readonly Check[] = [
  {
    scope: 'Workspace',
    name: 'sbom-files',
    meaning: 'the file of each SBOM is stored, with its size and SHA-256',
    remedy: 'Put the file back from a backup, or upload the SBOM again.',
    find: findFileFaults,
  },
  {
    scope: 'Installation',
    name: 'sbom-left-overs',
    meaning: 'each stored file of an SBOM has its row',
    find: (ctx) => examineLeftOvers(listOrphanedFiles(ctx, computeLeftOverInstant())),
    repair: async (ctx) => void (await sweepOrphanedFiles(ctx, computeLeftOverInstant())),
  },
  {
    scope: 'Workspace',
    name: 'sbom-jobs',
    meaning: 'SBOMs that wait to be parsed have a job that will parse them',
    find: (ctx, workspaceId) =>
      readSnapshot(ctx, async (db) =>
        summariseFaults(
          (await listForgotten(db, workspaceId)).map(
            (id) => `SBOM ${id} waits to be parsed, and has no job`,
          ),
        ),
      ),
    repair: parseForgotten,
  },
  {
    scope: 'Workspace',
    name: 'sbom-failures',
    meaning: 'no SBOM failed in all attempts to match it',
    remedy: 'The log names the cause; upload the SBOM again when it is mended.',
    find: (ctx, workspaceId) =>
      readSnapshot(ctx, async (db) =>
        summariseFaults(
          (await listGivenUp(db, workspaceId)).map(
            ({ id, fileName, attempts, reason }) =>
              `SBOM ${id} (${fileName}) is not matched, as ${attempts} attempts failed: ${reason}`,
          ),
        ),
      ),
  },
  {
    scope: 'Workspace',
    name: 'sbom-components',
    meaning: 'parsed SBOMs have as many components as they say',
    find: (ctx, workspaceId) =>
      readSnapshot(ctx, (db) => findDifferences(db, COMPONENTS, workspaceId)),
    repair: repairComponents,
  },
  {
    scope: 'Workspace',
    name: 'sbom-reasons',
    meaning: 'SBOMs say of how many components nothing can be told, and why, as a recount gives',
    find: (ctx, workspaceId) =>
      readSnapshot(ctx, (db) => findDifferences(db, NOT_MATCHED, workspaceId)),
    repair: repairNotMatched,
  },
]
