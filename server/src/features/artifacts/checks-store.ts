/** What `admin doctor` examines of artifacts: their files, and those of unfinished uploads. */
import { sql } from 'kysely'
import type { AppContext } from '../../platform/context.ts'
import type { Db } from '../../platform/db/connect.ts'
import type { Check, ExamineOptions } from '../../platform/doctor/check.ts'
import {
  examineFiles,
  examineLeftOvers,
  computeLeftOverInstant,
  type ReferredFile,
} from '../../platform/doctor/stored-files.ts'
import { ARTIFACT_BLOBS, nameArtifactBlob, PART_BLOBS, namePartBlob } from './blob-keys.ts'
import { isReferred, listLeftOvers, sweepArtifactFiles } from './sweep-service.ts'

/** The files of a workspace that rows of artifacts name. */
export async function listArtifactFiles(db: Db, workspaceId: string): Promise<ReferredFile[]> {
  const images = await db
    .selectFrom('firmwareArtifacts')
    .select(['firmwareVersionId', 'blobId', 'fileName', 'sizeBytes', 'sha256'])
    .where('workspaceId', '=', workspaceId)
    .orderBy('firmwareVersionId')
    .execute()
  const further = (await hasRoles(db)) ? await listRoleFiles(db, workspaceId) : []
  return [...images, ...further].map(
    ({ firmwareVersionId, blobId, fileName, sizeBytes, sha256 }) => ({
      key: nameArtifactBlob({ workspaceId, firmwareVersionId, blobId }),
      owner: `artifact of firmware version ${firmwareVersionId} (${fileName})`,
      sizeBytes,
      sha256,
    }),
  )
}

function listRoleFiles(db: Db, workspaceId: string) {
  return db
    .selectFrom('firmwareRoleArtifacts')
    .select(['firmwareVersionId', 'blobId', 'fileName', 'sizeBytes', 'sha256'])
    .where('workspaceId', '=', workspaceId)
    .orderBy('id')
    .execute()
}

/** A backup before the upgrade that brings the table reads the schema of the release before. */
async function hasRoles(db: Db): Promise<boolean> {
  const { rows } = await sql<{ isThere: boolean }>`
    select to_regclass('firmware_role_artifacts') is not null as is_there`.execute(db)
  return rows[0]?.isThere === true
}

const findArtifactFaults = async (ctx: AppContext, workspaceId: string, options: ExamineOptions) =>
  examineFiles(
    ctx.blobs,
    {
      prefix: `${ARTIFACT_BLOBS}${workspaceId}/`,
      files: await listArtifactFiles(ctx.db, workspaceId),
      isReferred: ({ key }) => isReferred(ctx, key),
    },
    options,
  )

/** The parts of unfinished uploads. No row states the size of a part, only that of all parts together. */
export async function listPartFiles(db: Db, workspaceId: string) {
  const uploads = await db
    .selectFrom('firmwareArtifactUploads')
    .select(['firmwareVersionId', 'id', 'parts', 'receivedBytes'])
    .where('workspaceId', '=', workspaceId)
    .orderBy('id')
    .execute()
  return uploads.map(({ firmwareVersionId, id: uploadId, parts, receivedBytes }) => ({
    uploadId,
    receivedBytes,
    keys: parts.map((partId) => namePartBlob({ workspaceId, firmwareVersionId, uploadId, partId })),
  }))
}

async function findPartFaults({ db, blobs }: AppContext, workspaceId: string) {
  const uploads = await listPartFiles(db, workspaceId)
  const sizes = new Map<string, number>()
  for await (const { key, sizeBytes } of blobs.list(`${PART_BLOBS}${workspaceId}/`))
    sizes.set(key, sizeBytes)
  const faults: string[] = []
  for (const { uploadId, receivedBytes, keys } of uploads) {
    const bytes = keys.reduce((total, key) => total + (sizes.get(key) ?? 0), 0)
    const [first] = keys
    if (bytes !== receivedBytes && first !== undefined && (await isReferred({ db }, first)))
      faults.push(`upload ${uploadId}: ${bytes} bytes are stored instead of ${receivedBytes}`)
  }
  return { faultCount: faults.length, faults }
}

export const artifactChecks: readonly Check[] = [
  {
    scope: 'Workspace',
    name: 'artifact-files',
    meaning: 'the file of each artifact is stored, with its size and SHA-256',
    remedy: 'Put the file back from a backup, or delete the artifact and upload it again.',
    find: findArtifactFaults,
  },
  {
    scope: 'Workspace',
    name: 'artifact-parts',
    meaning: 'the parts of unfinished uploads are stored',
    remedy: 'Begin the upload again.',
    find: findPartFaults,
  },
  {
    scope: 'Installation',
    name: 'artifact-left-overs',
    meaning: 'each stored artifact and each part of an upload has its row',
    find: (ctx) => examineLeftOvers(listLeftOvers(ctx, computeLeftOverInstant())),
    repair: async (ctx) => void (await sweepArtifactFiles(ctx, computeLeftOverInstant())),
  },
]
