import { readName } from '../../formats/one-line-name.ts'
import type { Actor } from '../../platform/actor.ts'
import type { AppContext } from '../../platform/context.ts'
import type { Db, Tx } from '../../platform/db/connect.ts'
import { refuseReferenced, refuseTaken } from '../../platform/db/failures.ts'
import { AppError, notFound } from '../../platform/errors.ts'
import type { Precondition } from '../../platform/http/editing.ts'
import { isUuid, newId } from '../../platform/ids.ts'
import { recordAudit } from '../audit/index.ts'
import { DEFAULT_PART, FirmwareVersionsDeleted } from './schemas.ts'
import * as store from './store.ts'

export interface Change {
  workspaceId: string
  actor: Actor
  /** Is called with what is about to be changed. */
  precondition?: Precondition | undefined
}

export async function getFirmware(db: Db, workspaceId: string, firmwareId: string) {
  const firmware = isUuid(firmwareId)
    ? await store.findFirmware(db, workspaceId, firmwareId)
    : undefined
  if (!firmware) throw notFound('firmware', firmwareId)
  return firmware
}

export async function getFirmwareVersion(db: Db, workspaceId: string, firmwareVersionId: string) {
  const version = isUuid(firmwareVersionId)
    ? await store.findFirmwareVersion(db, workspaceId, firmwareVersionId)
    : undefined
  if (!version) throw notFound('firmware version', firmwareVersionId)
  return version
}

/** Waits for other changes of the firmware, then reads it: two deletions at once delete and audit it once. */
export async function lockAndReadFirmware(tx: Tx, workspaceId: string, firmwareId: string) {
  if (isUuid(firmwareId)) await store.lockFirmware(tx, workspaceId, firmwareId)
  return getFirmware(tx, workspaceId, firmwareId)
}

export type CreateFirmware = Change & {
  slug: string
  name?: string
  description?: string | null
  part?: string
  supportEndsOn?: string | null
}

export async function createFirmware(ctx: AppContext, input: CreateFirmware) {
  const {
    workspaceId,
    actor,
    slug,
    description = null,
    part = DEFAULT_PART,
    supportEndsOn = null,
  } = input
  const name = input.name === undefined ? slug : readName(input.name)
  return refuseTaken(slugTaken(slug), () =>
    ctx.db.transaction().execute(async (tx) => {
      const id = newId()
      const fields = { slug, name, description, part, supportEndsOn }
      await store.insertFirmware(tx, { workspaceId, id, ...fields, createdAt: ctx.now() })
      const entry = { workspaceId, actor, resourceType: 'firmware', resourceId: id }
      await recordAudit(ctx, tx, { ...entry, action: 'firmware.create', after: fields })
      return getFirmware(tx, workspaceId, id)
    }),
  )
}

interface FirmwareFields {
  slug: string
  name: string
  description?: string | null
  part?: string
  supportEndsOn?: string | null
}

export type UpdateFirmware = Change & FirmwareFields & { firmwareId: string }

export async function updateFirmware(ctx: AppContext, input: UpdateFirmware) {
  const { workspaceId, actor, firmwareId, slug } = input
  const { description = null, part = DEFAULT_PART, supportEndsOn = null } = input
  return refuseTaken(slugTaken(slug), () =>
    ctx.db.transaction().execute(async (tx) => {
      await store.lockVersionNames(tx, workspaceId)
      const before = await lockAndReadFirmware(tx, workspaceId, firmwareId)
      input.precondition?.(before)
      const name = input.name === before.name ? before.name : readName(input.name)
      const fields = { slug, name, description, part, supportEndsOn }
      await store.updateFirmware(tx, {
        workspaceId,
        id: before.id,
        ...fields,
        updatedAt: ctx.now(),
      })
      if (slug !== before.slug) {
        const versions = await store.listFirmwareVersions(tx, workspaceId, before.id)
        const firmwareVersionIds = versions.map(({ id }) => id)
        await ctx.reactions.versionsNamed(ctx, tx, { workspaceId, firmwareVersionIds })
      }
      const entry = { workspaceId, actor, resourceType: 'firmware', resourceId: before.id }
      await recordAudit(ctx, tx, { ...entry, action: 'firmware.update', before, after: fields })
      return getFirmware(tx, workspaceId, before.id)
    }),
  )
}

const slugTaken = (slug: string) => () =>
  new AppError(
    'conflict',
    'firmware-slug-taken',
    `A firmware with the slug "${slug}" already exists.`,
  )

export async function deleteFirmware(ctx: AppContext, input: Change & { firmwareId: string }) {
  const { workspaceId, actor, firmwareId } = input
  await ctx.db.transaction().execute(async (tx) => {
    await store.lockVersionNames(tx, workspaceId)
    const before = await lockAndReadFirmware(tx, workspaceId, firmwareId)
    const versions = await store.listFirmwareVersions(tx, workspaceId, before.id)
    const firmwareVersionIds = versions.map(({ id }) => id)
    await store.lockFirmwareVersions(tx, workspaceId, firmwareVersionIds)
    await store.lockForDeletion(tx, workspaceId, firmwareVersionIds)
    await ctx.reactions.versionsDeleting(ctx, tx, { workspaceId, firmwareVersionIds })
    await refuseReferenced(firmwareInUse, () => store.deleteFirmware(tx, workspaceId, before.id))
    const entry = { workspaceId, actor, resourceType: 'firmware', resourceId: before.id }
    const names = versions.map(({ name }) => name)
    await recordAudit(ctx, tx, {
      ...entry,
      action: 'firmware.delete',
      before: { ...before, versions: names },
    })
    await ctx.queue.enqueue(tx, FirmwareVersionsDeleted, { workspaceId, firmwareVersionIds })
  })
}

export async function deleteFirmwareVersion(
  ctx: AppContext,
  input: Change & { firmwareVersionId: string },
) {
  const { workspaceId, actor, firmwareVersionId } = input
  await ctx.db.transaction().execute(async (tx) => {
    await store.lockVersionNames(tx, workspaceId)
    if (isUuid(firmwareVersionId))
      await store.lockAndLeaveSuccessors(tx, workspaceId, firmwareVersionId)
    const before = await getFirmwareVersion(tx, workspaceId, firmwareVersionId)
    const firmwareVersionIds = [before.id]
    await store.lockForDeletion(tx, workspaceId, firmwareVersionIds)
    await ctx.reactions.versionsDeleting(ctx, tx, { workspaceId, firmwareVersionIds })
    await refuseReferenced(versionInUse, () =>
      store.deleteFirmwareVersion(tx, workspaceId, before.id),
    )
    const entry = { workspaceId, actor, resourceType: 'firmware-version', resourceId: before.id }
    await recordAudit(ctx, tx, {
      ...entry,
      action: 'firmware-version.delete',
      before,
      about: [{ type: 'firmware', id: before.firmware.id }],
    })
    await ctx.queue.enqueue(tx, FirmwareVersionsDeleted, { workspaceId, firmwareVersionIds })
  })
}

const firmwareInUse = (table: string) =>
  new AppError('conflict', 'firmware-in-use', inUseDetail('firmware', table))
const versionInUse = (table: string) =>
  new AppError('conflict', 'firmware-version-in-use', inUseDetail('firmware version', table))

function inUseDetail(what: string, table: string): string {
  if (table === 'device_firmwares') return `Devices report that they run the ${what}.`
  return `A deployment uses the ${what}.`
}
