/** What `admin doctor` examines of images: what was read of the bytes of artifacts. */
import { sql } from 'kysely'
import { formatCountOf } from '../../formats/counts.ts'
import { EXAMINER_VERSION } from '../../formats/images/examine-image.ts'
import { isImageHash } from '../../formats/provenance/image-hash.ts'
import type { AppContext } from '../../platform/context.ts'
import type { Db } from '../../platform/db/connect.ts'
import {
  type Check,
  type CheckFaults,
  readSnapshot,
  summariseFaults,
} from '../../platform/doctor/check.ts'
import { listWithoutJob } from '../../platform/jobs/late-jobs.ts'
import { ArtifactStored } from '../artifacts/index.ts'
import * as store from './store.ts'

const isRead = ({ examinerVersion }: store.KeptOfArtifact) =>
  examinerVersion !== null && examinerVersion >= EXAMINER_VERSION

/** undefined: what is kept agrees with the artifact. */
function findFault({ sha256, hashes }: store.KeptOfArtifact): string | undefined {
  if (hashes === null) return 'no hashes are kept of it'
  const wrong = hashes.find(({ value }) => !isImageHash(value))
  if (wrong) return `a hash is kept of it which is none: ${wrong.value}`
  // What could not be read has none.
  const isOfOther =
    hashes.length > 0 && !hashes.some(({ of, value }) => of === null && value === sha256)
  return isOfOther ? 'the hashes that are kept of it are those of other bytes' : undefined
}

async function listWrong(
  db: Db,
  artifacts: readonly store.KeptOfArtifact[],
): Promise<{ artifact: store.KeptOfArtifact; fault: string }[]> {
  const wrong = artifacts.filter((one) => isRead(one) && findFault(one) !== undefined)
  const forgotten = await listWithoutJob(db, wrong, {
    messages: [ArtifactStored],
    isMeant: sql`job.data ->> 'blobId' = asked.row ->> 'blobId'`,
  })
  return forgotten.map((artifact) => ({ artifact, fault: findFault(artifact) ?? '' }))
}

const findFaults = (ctx: AppContext, workspaceId: string): Promise<CheckFaults> =>
  readSnapshot(ctx, async (db) => {
    const artifacts = await store.listKeptOfArtifacts(db, workspaceId)
    const wrong = await listWrong(db, artifacts)
    const gone = await store.listGone(db, workspaceId)
    const unread = artifacts.filter((one) => !isRead(one)).length
    return summariseFaults(
      [
        ...wrong.map(
          ({ artifact: { fileName, firmwareVersionId }, fault }) =>
            `artifact of firmware version ${firmwareVersionId} (${fileName}): ${fault}`,
        ),
        ...gone.map(
          ({ firmwareVersionId, blobId }) =>
            `${blobId} is no artifact of firmware version ${firmwareVersionId} any more, and what was read of it is kept`,
        ),
      ],
      unread === 0
        ? []
        : [
            `${formatCountOf(unread, 'artifact')} that this release has not read yet: workers do so at start and hourly`,
          ],
    )
  })

/** Wrong ones are read again by a worker. */
async function repairFacts(ctx: AppContext, workspaceId: string): Promise<void> {
  await ctx.db.transaction().execute(async (tx) => {
    const wrong = await listWrong(tx, await store.listKeptOfArtifacts(tx, workspaceId))
    for (const { artifact } of wrong) {
      const { firmwareVersionId, blobId } = artifact
      const file = { workspaceId, firmwareVersionId, blobId }
      await store.forgetExamined(tx, file)
      await ctx.queue.enqueue(tx, ArtifactStored, file)
    }
    for (const { firmwareVersionId } of await store.listGone(tx, workspaceId))
      await store.forgetGone(tx, { workspaceId, firmwareVersionId })
  })
}

export const imageChecks: readonly Check[] = [
  {
    scope: 'Workspace',
    name: 'image-facts',
    meaning: 'what was read of artifacts has their hashes, and is kept of no others',
    find: findFaults,
    repair: repairFacts,
  },
]
