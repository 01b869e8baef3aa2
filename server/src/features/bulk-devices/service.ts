/** Tags, cohorts and deletion of many devices. */
import type { Actor } from '../../platform/actor.ts'
import type { AppContext } from '../../platform/context.ts'
import type { Tx } from '../../platform/db/connect.ts'
import { runPreview } from '../../platform/db/preview.ts'
import { invalid } from '../../platform/errors.ts'
import { type AuditEntry, recordAudit } from '../audit/index.ts'
import {
  getCohort,
  lockDevices,
  pickForCohort,
  releaseToTagRules,
  withDevicesLocked,
} from '../cohorts/index.ts'
import { removeDevices } from '../devices/index.ts'
import { recordBatch } from './batches-service.ts'
import { listMovesBy } from './moves-service.ts'
import { type DeviceSelection, selectDevices } from './selection-service.ts'
import * as store from './store.ts'

interface Bulk extends DeviceSelection {
  actor: Actor
  dryRun?: boolean
}

/** In one transaction. */
const MOST_TAGGED = 100_000
const MOST_MOVED = 100_000
/** A device is deleted with its series, keys and updates. */
const MOST_DELETED = 10_000
/** The most tags that one device may have. */
const MOST_TAGS = 100
/** Ids in an entry of the audit log. */
const MOST_LISTED = 1_000

export async function tagDevices(ctx: AppContext, input: Bulk & Partial<store.TagChange>) {
  const { workspaceId, add = [], remove = [], dryRun = false } = input
  const change = { add, remove }
  refuseNothing(change)
  return runPreview(ctx, dryRun, async (tx) => {
    const deviceIds = await selectDevices(ctx, tx, { ...input, most: MOST_TAGGED })
    await lockDevices(tx, workspaceId, deviceIds)
    const overfull = await store.findOverfull(
      tx,
      { workspaceId, deviceIds },
      { ...change, most: MOST_TAGS },
    )
    if (overfull !== undefined)
      throw invalid(
        `${overfull} would have more than ${MOST_TAGS} tags; nothing was changed.`,
        '/add',
      )
    const batch = { workspaceId, actor: input.actor, act: 'Tag', deviceIds } as const
    const { answer, deviceBatchId } = await recordBatch(ctx, tx, {
      ...batch,
      isPreview: dryRun,
      change: () => changeTags(ctx, tx, { workspaceId, deviceIds, change }),
    })
    if (answer.changed > 0)
      await record(ctx, tx, {
        ...input,
        action: 'device.bulk-tag',
        after: { ...change, ...answer, deviceBatchId },
        about: deviceIds.map((id) => ({ type: 'device' as const, id })),
      })
    return { ...answer, deviceBatchId }
  })
}

async function changeTags(
  ctx: AppContext,
  tx: Tx,
  asked: { workspaceId: string; deviceIds: readonly string[]; change: store.TagChange },
) {
  const { workspaceId, deviceIds, change } = asked
  const changed = await store.changeTags(tx, { workspaceId, deviceIds }, change)
  const moves = await listMovesBy(tx, { workspaceId, deviceIds: changed }, () =>
    ctx.reactions.devicesTagged(ctx, tx, { workspaceId, deviceIds: changed }),
  )
  return { matched: deviceIds.length, changed: changed.length, moves }
}

function refuseNothing({ add, remove }: store.TagChange): void {
  if (add.length + remove.length === 0) throw invalid('Name a tag to add or to remove.', '/add')
  const both = add.find((tag) => remove.includes(tag))
  if (both !== undefined)
    throw invalid(`The tag ${JSON.stringify(both)} is to be added and removed.`, '/remove')
}

interface Move extends Bulk {
  /** null: tag rules decide. */
  deploymentCohortId: string | null
}

/** Picks devices for a cohort by hand, or leaves them to the tag rules. */
export async function moveDevices(ctx: AppContext, input: Move) {
  const { workspaceId, actor, deploymentCohortId, dryRun = false } = input
  const cohort =
    deploymentCohortId === null
      ? undefined
      : await getCohort(ctx.db, workspaceId, deploymentCohortId)
  const select = (tx: Tx) => selectDevices(ctx, tx, { ...input, most: MOST_MOVED })
  const change = async (tx: Tx, deviceIds: readonly string[]) => {
    const move = () =>
      listMovesBy(tx, { workspaceId, deviceIds }, async (members) => {
        if (!cohort) return releaseToTagRules(ctx, tx, { workspaceId, deviceIds })
        await getCohort(tx, workspaceId, cohort.id)
        await pickForCohort(ctx, tx, { workspaceId, members, cohortId: cohort.id })
      })
    const batch = { workspaceId, actor, act: 'Move', deviceIds } as const
    const { answer: moves, deviceBatchId } = await recordBatch(ctx, tx, {
      ...batch,
      isPreview: dryRun,
      change: move,
    })
    const answer = { matched: deviceIds.length, moves, deviceBatchId }
    const entry = { workspaceId, actor, action: 'device.bulk-move' as const }
    const resource = cohort
      ? { resourceType: 'deployment-cohort', resourceId: cohort.id }
      : { resourceType: 'workspace', resourceId: workspaceId }
    const after = { ...answer, deviceIds: deviceIds.slice(0, MOST_LISTED) }
    await recordAudit(ctx, tx, { ...entry, ...resource, after })
    return answer
  }
  return withDevicesLocked(ctx, { workspaceId, affectedDevices: select, change, isPreview: dryRun })
}

export async function deleteDevices(ctx: AppContext, input: Bulk) {
  const { workspaceId, dryRun = false } = input
  return runPreview(ctx, dryRun, async (tx) => {
    const selected = await selectDevices(ctx, tx, { ...input, most: MOST_DELETED })
    await lockDevices(tx, workspaceId, selected)
    const devices = await store.listPresent(tx, { workspaceId, deviceIds: selected })
    const deviceIds = devices.map(({ id }) => id)
    const connected = devices.filter((device) => device.connected).length
    const answer = { deleted: deviceIds.length, connected }
    if (deviceIds.length === 0) return answer
    // What a preview answers is known without deleting, which takes long.
    if (!dryRun) await removeDevices(ctx, tx, { workspaceId, deviceIds })
    const after = { ...answer, deviceIds: deviceIds.slice(0, MOST_LISTED) }
    await record(ctx, tx, { ...input, action: 'device.bulk-delete', after })
    return answer
  })
}

async function record(
  ctx: AppContext,
  tx: Tx,
  entry: Bulk & Pick<AuditEntry, 'action' | 'about'> & { after: object },
): Promise<void> {
  const { workspaceId, actor, action, deviceIds, filter, after, about } = entry
  const selected = deviceIds ? { deviceIds: deviceIds.slice(0, MOST_LISTED) } : { filter }
  await recordAudit(ctx, tx, {
    workspaceId,
    actor,
    action,
    resourceType: 'workspace',
    resourceId: workspaceId,
    after: { ...selected, ...after },
    about,
  })
}
