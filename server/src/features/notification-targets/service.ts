import type { Actor } from '../../platform/actor.ts'
import type { AppContext } from '../../platform/context.ts'
import type { Db, Tx } from '../../platform/db/connect.ts'
import { AppError, notFound } from '../../platform/errors.ts'
import type { Precondition } from '../../platform/http/editing.ts'
import { isUuid, newId } from '../../platform/ids.ts'
import { recordAudit } from '../audit/index.ts'
import { requireMails, requireMailServer } from '../mails/index.ts'
import { decideAddressState, computeForgetInstant } from './addresses/address-state.ts'
import * as addressesStore from './addresses/store.ts'
import { type Digest, notifyRecipient, type QuietHours } from '../notifications/index.ts'
import { askAgain, askNewAddresses } from './addresses/confirmation-service.ts'
import type { EmailAddress } from './email-address.ts'
import { readTarget } from './target-fields.ts'
import * as store from './store.ts'

const MOST_TARGETS = 200

interface Change {
  workspaceId: string
  actor: Actor
}

export async function getTarget(db: Db, workspaceId: string, notificationTargetId: string) {
  const target = await requireTarget(db, workspaceId, notificationTargetId)
  return withAddresses(target, await store.listTargetAddresses(db, workspaceId, target.id))
}

export async function listTargets(db: Db, workspaceId: string) {
  const targets = await store.listTargets(db, workspaceId)
  const held = Map.groupBy(
    await store.listTargetAddresses(db, workspaceId),
    ({ targetId }) => targetId,
  )
  return targets.map((target) => withAddresses(target, held.get(target.id) ?? []))
}

async function requireTarget(db: Db, workspaceId: string, notificationTargetId: string) {
  const target = isUuid(notificationTargetId)
    ? await store.findTarget(db, workspaceId, notificationTargetId)
    : undefined
  if (!target) throw notFound('notification target', notificationTargetId)
  return target
}

function withAddresses(target: store.TargetRow, rows: readonly store.TargetAddressRow[]) {
  const addresses = rows.map((row) => {
    const { emailAddress, confirmedAt, lastDeliveredAt, lastAnswer, lastAnswerAt } = row
    const state = decideAddressState(row)
    return { emailAddress, state, confirmedAt, lastDeliveredAt, lastAnswer, lastAnswerAt }
  })
  const emailAddresses = addresses.map(({ emailAddress }) => emailAddress)
  return {
    ...target,
    emailAddresses: emailAddresses.length > 0 ? emailAddresses : null,
    addresses,
  }
}

interface TargetFields {
  name: string
  type: 'Email'
  state: store.TargetState
  emailAddresses?: string[] | null
  quietHours?: QuietHours | null
  digest?: Digest | null
}

export type WriteTarget = Change & TargetFields

export async function createTarget(ctx: AppContext, input: WriteTarget) {
  const { workspaceId, actor } = input
  const { fields, addresses } = readCommand(input)
  const id = newId()
  return ctx.db.transaction().execute(async (tx) => {
    await addressesStore.lockTargets(tx, workspaceId)
    await requireRoom(tx, workspaceId)
    await store.insertTarget(tx, { workspaceId, id, ...fields, createdAt: ctx.now() })
    await setAddresses(ctx, tx, { workspaceId, actor, target: { id, ...fields }, addresses })
    const target = await getTarget(tx, workspaceId, id)
    const entry = {
      ...resource(workspaceId, id),
      actor,
      action: 'notification-target.create' as const,
    }
    await recordAudit(ctx, tx, { ...entry, after: pickAudited(target) })
    return target
  })
}

export async function updateTarget(
  ctx: AppContext,
  input: WriteTarget & { notificationTargetId: string; precondition?: Precondition | undefined },
) {
  const { workspaceId, actor, notificationTargetId } = input
  const { fields, addresses } = readCommand(input)
  return ctx.db.transaction().execute(async (tx) => {
    await addressesStore.lockTargets(tx, workspaceId)
    const before = await getTarget(tx, workspaceId, notificationTargetId)
    input.precondition?.(before)
    const { id } = before
    await store.updateTarget(tx, { workspaceId, id, ...fields, updatedAt: ctx.now() })
    await setAddresses(ctx, tx, { workspaceId, actor, target: { id, ...fields }, addresses })
    const target = await getTarget(tx, workspaceId, id)
    const entry = {
      ...resource(workspaceId, id),
      actor,
      action: 'notification-target.update' as const,
    }
    await recordAudit(ctx, tx, {
      ...entry,
      before: pickAudited(before),
      after: pickAudited(target),
    })
    return target
  })
}

/** Removes the target from the alert rules that name it, and releases its addresses. */
export async function deleteTarget(
  ctx: AppContext,
  { workspaceId, actor, notificationTargetId }: Change & { notificationTargetId: string },
): Promise<void> {
  await ctx.db.transaction().execute(async (tx) => {
    await addressesStore.lockTargets(tx, workspaceId)
    const before = await getTarget(tx, workspaceId, notificationTargetId)
    const { id } = before
    await store.deleteTarget(tx, workspaceId, id)
    await addressesStore.releaseAddresses(tx, workspaceId, computeForgetInstant(ctx.now()))
    const entry = {
      ...resource(workspaceId, id),
      actor,
      action: 'notification-target.delete' as const,
    }
    await recordAudit(ctx, tx, { ...entry, before: pickAudited(before) })
  })
}

/**
 * Sends a mail to each confirmed address, in any state and in quiet hours of the target, and also to addresses
 * that a server refused before.
 */
export async function testTarget(
  ctx: AppContext,
  { workspaceId, actor, notificationTargetId }: Change & { notificationTargetId: string },
) {
  return ctx.db.transaction().execute(async (tx) => {
    const { id, name } = await requireTarget(tx, workspaceId, notificationTargetId)
    requireMailServer(ctx)
    const rows = await store.listTargetAddresses(tx, workspaceId, id)
    const confirmed = rows.filter((row) => row.confirmedAt && !row.unsubscribedAt)
    if (confirmed.length === 0) throw nobodyConfirmed()
    for (const { address } of confirmed) {
      const recipient = { address, targetId: id }
      const askedBy = actor.email
      await notifyRecipient(ctx, tx, { workspaceId, kind: 'Test', recipient, name, askedBy })
    }
    const emailAddresses = confirmed.map(({ emailAddress }) => emailAddress)
    const entry = {
      ...resource(workspaceId, id),
      actor,
      action: 'notification-target.test' as const,
    }
    await recordAudit(ctx, tx, { ...entry, after: { emailAddresses } })
    const addresses = confirmed.map(({ address }) => address)
    await requireMails(ctx, tx, { kind: 'Test', workspaceId, addresses })
    return { emailAddresses }
  })
}

/** Asks the reader of an address once more to confirm it. */
export async function askAddressAgain(
  ctx: AppContext,
  input: Change & { notificationTargetId: string; emailAddress: string },
) {
  const { workspaceId, actor, notificationTargetId, emailAddress } = input
  const target = await requireTarget(ctx.db, workspaceId, notificationTargetId)
  await askAgain(ctx, { workspaceId, actor, target, emailAddress })
  return getTarget(ctx.db, workspaceId, target.id)
}

function nobodyConfirmed(): AppError {
  return new AppError(
    'conflict',
    'notification-target-has-no-confirmed-address',
    'No address of the target is confirmed.',
  )
}

function readCommand(input: WriteTarget) {
  const { name, type, state, quietHours = null, digest = null } = input
  const emailAddresses = input.emailAddresses ?? []
  const { addresses, faults } = readTarget({ name, emailAddresses, quietHours, digest })
  const [first] = faults
  if (first) throw new AppError('invalid', 'invalid-request', first.detail, faults)
  return { fields: { name: name.trim(), type, state, quietHours, digest }, addresses }
}

async function requireRoom(tx: Tx, workspaceId: string): Promise<void> {
  if ((await store.countTargets(tx, workspaceId)) < MOST_TARGETS) return
  throw new AppError(
    'conflict',
    'too-many-notification-targets',
    `A workspace has at most ${MOST_TARGETS} notification targets.`,
  )
}

/** Replaces the addresses of the target, releases those without a target, and asks for new ones. */
async function setAddresses(
  ctx: AppContext,
  tx: Tx,
  input: Change & { target: { id: string; name: string }; addresses: readonly EmailAddress[] },
): Promise<void> {
  const { workspaceId, actor, target } = input
  const addresses = input.addresses.map(({ address }) => address)
  const heldBefore = await addressesStore.listHeldAddresses(tx, workspaceId, addresses)
  await addressesStore.addAddresses(tx, workspaceId, { addresses, createdAt: ctx.now() })
  const held = { targetId: target.id, addresses: input.addresses }
  await store.replaceTargetAddresses(tx, workspaceId, held)
  await addressesStore.releaseAddresses(tx, workspaceId, computeForgetInstant(ctx.now()))
  await askNewAddresses(ctx, tx, { workspaceId, actor, target, addresses, heldBefore })
}

function resource(workspaceId: string, resourceId: string) {
  return { workspaceId, resourceType: 'notification-target', resourceId }
}

function pickAudited(target: Awaited<ReturnType<typeof getTarget>>) {
  const { name, type, state, emailAddresses, quietHours, digest } = target
  return { name, type, state, emailAddresses, quietHours, digest }
}
