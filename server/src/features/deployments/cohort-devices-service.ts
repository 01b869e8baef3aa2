import type { Actor } from '../../platform/actor.ts'
import type { AppContext } from '../../platform/context.ts'
import type { Tx } from '../../platform/db/connect.ts'
import { AppError } from '../../platform/errors.ts'
import { recordAudit } from '../audit/index.ts'
import * as members from './cohort-members-store.ts'
import { getCohort } from './cohort-service.ts'
import { withDevicesLocked } from './member-locks-service.ts'
import { applyTagRules, moveDevices } from './membership-service.ts'

export interface SetCohortDevices {
  workspaceId: string
  actor: Actor
  deploymentCohortId: string
  deviceIds: readonly string[]
  move?: boolean
}

/** The devices picked by hand from now on; those that no longer are go where the tag rules put them. */
export async function setCohortDevices(ctx: AppContext, input: SetCohortDevices) {
  const { workspaceId, deploymentCohortId } = input
  const picked = [...new Set(input.deviceIds)].toSorted()
  const { id: cohortId } = await getCohort(ctx.db, workspaceId, deploymentCohortId)
  const handPicked = async (tx: Tx) => {
    const all = await members.listMembers(tx, workspaceId, cohortId)
    return all.filter(({ byRule }) => !byRule).map(({ id }) => id)
  }
  return withDevicesLocked(ctx, {
    workspaceId,
    concerned: async (tx) => [...new Set([...picked, ...(await handPicked(tx))])],
    change: async (tx) => {
      await getCohort(tx, workspaceId, cohortId)
      const before = await handPicked(tx)
      const known = await members.listMembership(tx, workspaceId, picked)
      requireKnown(input.deviceIds, known)
      if (input.move !== true) requireFree(known, cohortId)
      await moveDevices(ctx, tx, { workspaceId, moves: movesOf(known, cohortId) })
      await release(ctx, tx, { workspaceId, deviceIds: without(before, picked) })
      const entry = { workspaceId, resourceType: 'deployment-cohort', resourceId: cohortId }
      await recordAudit(ctx, tx, {
        ...entry,
        actor: input.actor,
        action: 'deployment-cohort.set-devices',
        before: { deviceCount: before.length, removed: told(without(before, picked)) },
        after: { deviceCount: picked.length, added: told(without(picked, before)) },
      })
      return getCohort(tx, workspaceId, cohortId)
    },
  })
}

async function release(
  ctx: AppContext,
  tx: Tx,
  { workspaceId, deviceIds }: { workspaceId: string; deviceIds: readonly string[] },
): Promise<void> {
  await members.leaveToRules(tx, workspaceId, deviceIds)
  await applyTagRules(ctx, tx, { workspaceId, deviceIds })
}

function movesOf(known: readonly members.Member[], cohortId: string): members.Move[] {
  return known
    .filter((device) => device.cohortId !== cohortId || device.byRule)
    .map(({ id, cohortId: before }) => ({ deviceId: id, before, after: cohortId, byRule: false }))
}

/** As many as an entry of the audit log can name. */
function told(deviceIds: readonly string[]): readonly string[] {
  return deviceIds.slice(0, 1000)
}

function without(all: readonly string[], others: readonly string[]): string[] {
  const known = new Set(others)
  return all.filter((one) => !known.has(one))
}

const MOST_NAMED = 20

function requireKnown(deviceIds: readonly string[], known: readonly members.Member[]): void {
  const ids = new Set(known.map(({ id }) => id))
  const errors = deviceIds.flatMap((id, index) =>
    ids.has(id)
      ? []
      : { pointer: `/deviceIds/${index}`, detail: `No device has the id ${JSON.stringify(id)}.` },
  )
  if (errors.length > 0)
    throw new AppError(
      'invalid',
      'invalid-request',
      `${errors.length} of the devices do not exist.`,
      errors.slice(0, MOST_NAMED),
    )
}

function requireFree(known: readonly members.Member[], cohortId: string): void {
  const taken = known.filter((device) => device.cohortId !== null && device.cohortId !== cohortId)
  if (taken.length === 0) return
  const names = taken
    .slice(0, MOST_NAMED)
    .map(({ id, cohortName }) => `${id} (${cohortName ?? ''})`)
    .join(', ')
  throw new AppError(
    'conflict',
    'device-in-another-cohort',
    `${taken.length} of the devices are in another cohort: ${names}. Send "move": true to take them out of it.`,
  )
}
