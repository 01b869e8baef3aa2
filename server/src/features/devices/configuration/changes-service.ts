/** Sets one value for many devices: first the devices are recorded, then a job writes batch after batch, also after a crash. */
import { formatCountOf } from '../../../formats/counts.ts'
import { splitIntoBatches } from '../../../formats/batches.ts'
import type { LogSeverity } from '../../../formats/device-messages/model.ts'
import type { Actor } from '../../../platform/actor.ts'
import type { AppContext } from '../../../platform/context.ts'
import type { Db } from '../../../platform/db/connect.ts'
import { AppError, invalid, notFound } from '../../../platform/errors.ts'
import { isUuid, newId } from '../../../platform/ids.ts'
import { recordAudit } from '../../audit/index.ts'
import { signalDesiredChange } from '../signals-store.ts'
import * as store from './changes-store.ts'
import { ConfigurationChangeAsked } from './schemas.ts'
import { writeDesired } from './service.ts'

/** Reports of the devices of a batch wait until it is written. */
const DEVICES_AT_ONCE = 500
const MOST_LISTED = 100
/** More ids in one signal mean the whole workspace, which would be signalled for every batch. */
const SIGNALLED_AT_ONCE = 50

export interface ChangeConfigurations {
  workspaceId: string
  deploymentCohortId?: string
  deviceIds?: readonly string[]
  /** null: the workspace default applies. */
  logSeverity: LogSeverity | null
  actor: Actor
}

export async function changeConfigurations(ctx: AppContext, input: ChangeConfigurations) {
  const { workspaceId, actor, logSeverity } = input
  return ctx.db.transaction().execute(async (tx) => {
    const selection = await findSelection(tx, input)
    const id = newId()
    const createdByEmail = actor.email ?? null
    const change = { workspaceId, id, logSeverity, createdAt: ctx.now(), createdByEmail }
    const total = await store.insertChange(tx, change, selection)
    await recordAudit(ctx, tx, {
      workspaceId,
      actor,
      action: 'device-configuration.bulk-update',
      resourceType: 'device-configuration-change',
      resourceId: id,
      after: { ...selection, logSeverity, total },
    })
    await ctx.queue.enqueue(tx, ConfigurationChangeAsked, { workspaceId, changeId: id })
    return getConfigurationChange(tx, { workspaceId, changeId: id })
  })
}

async function findSelection(
  tx: Db,
  { workspaceId, deploymentCohortId, deviceIds }: ChangeConfigurations,
): Promise<store.Selection> {
  if ((deploymentCohortId === undefined) === (deviceIds === undefined))
    throw invalid('State either a deploymentCohortId or deviceIds.', '/deploymentCohortId')
  if (deploymentCohortId === undefined) {
    await refuseUnknown(tx, workspaceId, deviceIds ?? [])
    return { deploymentCohortId: null, deviceIds }
  }
  const isThere =
    isUuid(deploymentCohortId) && (await store.isCohortThere(tx, workspaceId, deploymentCohortId))
  if (!isThere) throw notFound('deployment cohort', deploymentCohortId)
  return { deploymentCohortId, deviceIds: undefined }
}

async function refuseUnknown(
  tx: Db,
  workspaceId: string,
  deviceIds: readonly string[],
): Promise<void> {
  const known = new Set(await store.listKnownDevices(tx, workspaceId, deviceIds))
  const errors = deviceIds.flatMap((id, index) =>
    known.has(id)
      ? []
      : [{ pointer: `/deviceIds/${index}`, detail: `No device has the id ${JSON.stringify(id)}.` }],
  )
  if (errors.length > 0)
    throw new AppError(
      'invalid',
      'invalid-request',
      `${formatCountOf(errors.length, 'of the devices does', 'of the devices do')} not exist.`,
      errors.slice(0, MOST_LISTED),
    )
}

export async function getConfigurationChange(
  db: Db,
  { workspaceId, changeId }: { workspaceId: string; changeId: string },
) {
  const change = isUuid(changeId) ? await store.findChange(db, workspaceId, changeId) : undefined
  if (!change) throw notFound('configuration change', changeId)
  return asAnswer(change)
}

export async function listConfigurationChanges(db: Db, workspaceId: string) {
  const changes = await store.listNewestChanges(db, workspaceId, MOST_LISTED)
  return { configurationChanges: changes.map(asAnswer) }
}

type ChangeRow = NonNullable<Awaited<ReturnType<typeof store.findChange>>>

function asAnswer({ total, changed, acknowledged, failed, ...change }: ChangeRow) {
  return { ...change, deviceCounts: { total, changed, acknowledged, failed } }
}

interface ChangeName {
  workspaceId: string
  changeId: string
}

/** Continues where an earlier run ended. */
export async function applyConfigurationChange(
  ctx: AppContext,
  asked: ChangeName,
  signal: AbortSignal,
): Promise<void> {
  while (await applyBatch(ctx, asked)) signal.throwIfAborted()
}

/** Whether there may be more to do. */
async function applyBatch(
  ctx: AppContext,
  { workspaceId, changeId }: ChangeName,
): Promise<boolean> {
  return ctx.db.transaction().execute(async (tx) => {
    const change = await store.lockChange(tx, workspaceId, changeId)
    if (change?.state !== 'InProgress') return false
    const next = { changeId, after: change.doneThrough, limit: DEVICES_AT_ONCE }
    const deviceIds = await store.listNextDeviceIds(tx, workspaceId, next)
    const doneThrough = deviceIds.at(-1)
    if (doneThrough === undefined) {
      await store.finishChange(tx, workspaceId, { changeId, state: 'Completed', at: ctx.now() })
      return false
    }
    const { logSeverity } = change
    const written = await writeDesired(ctx, tx, { workspaceId, deviceIds, logSeverity })
    await store.recordVersions(tx, workspaceId, { changeId, deviceIds })
    const changed = written.before.length
    const failed = deviceIds.length - changed
    await store.recordProgress(tx, workspaceId, { changeId, doneThrough, changed, failed })
    const ids = written.effective.map(({ id }) => id)
    for (const some of splitIntoBatches(ids, SIGNALLED_AT_ONCE))
      await signalDesiredChange(tx, workspaceId, some)
    return true
  })
}

/** Devices that are written already keep the value. */
export async function giveUpConfigurationChange(
  ctx: AppContext,
  { workspaceId, changeId }: ChangeName,
): Promise<void> {
  const at = ctx.now()
  await store.finishChange(ctx.db, workspaceId, { changeId, state: 'Failed', at })
}
