import { formatCountOf } from '../../../formats/counts.ts'
import type { Actor } from '../../../platform/actor.ts'
import type { AppContext } from '../../../platform/context.ts'
import type { Tx } from '../../../platform/db/connect.ts'
import { AppError } from '../../../platform/errors.ts'
import { openPage, type PageRequested } from '../../../platform/http/paging.ts'
import { recordAudit } from '../../audit/index.ts'
import * as store from './store.ts'
import { getCohort } from '../service.ts'
import { withDevicesLocked } from './locks-service.ts'
import { pickForCohort, releaseToTagRules } from './moves-service.ts'

export interface SetCohortDevices {
  workspaceId: string
  actor: Actor
  deploymentCohortId: string
  deviceIds: readonly string[]
  move?: boolean
}

/** Replaces the hand-picked devices of a cohort. Tag rules decide about devices that are no longer picked. */
export async function setCohortDevices(ctx: AppContext, input: SetCohortDevices) {
  const { workspaceId, deploymentCohortId } = input
  const picked = [...new Set(input.deviceIds)].toSorted()
  const { id: cohortId } = await getCohort(ctx.db, workspaceId, deploymentCohortId)
  const handPicked = async (tx: Tx) => {
    const all = await store.listMembers(tx, workspaceId, cohortId)
    return all.filter(({ byRule }) => !byRule).map(({ id }) => id)
  }
  return withDevicesLocked(ctx, {
    workspaceId,
    affectedDevices: async (tx) => [...new Set([...picked, ...(await handPicked(tx))])],
    change: async (tx) => {
      await getCohort(tx, workspaceId, cohortId)
      const before = await handPicked(tx)
      const known = await store.listMembership(tx, workspaceId, picked)
      requireKnown(input.deviceIds, known)
      if (input.move !== true) requireNotInOtherCohort(known, cohortId)
      await pickForCohort(ctx, tx, { workspaceId, members: known, cohortId })
      await releaseToTagRules(ctx, tx, { workspaceId, deviceIds: without(before, picked) })
      const entry = { workspaceId, resourceType: 'deployment-cohort', resourceId: cohortId }
      await recordAudit(ctx, tx, {
        ...entry,
        actor: input.actor,
        action: 'deployment-cohort.set-devices',
        before: { deviceCount: before.length, removed: limitForAudit(without(before, picked)) },
        after: { deviceCount: picked.length, added: limitForAudit(without(picked, before)) },
      })
      return getCohort(tx, workspaceId, cohortId)
    },
  })
}

/** The first ids, as many as an audit entry can contain. */
function limitForAudit(deviceIds: readonly string[]): readonly string[] {
  return deviceIds.slice(0, 1000)
}

function without(all: readonly string[], others: readonly string[]): string[] {
  const known = new Set(others)
  return all.filter((one) => !known.has(one))
}

const MAX_NAMED = 20

function requireKnown(deviceIds: readonly string[], known: readonly store.Member[]): void {
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
      `${formatCountOf(errors.length, 'of the devices does', 'of the devices do')} not exist.`,
      errors.slice(0, MAX_NAMED),
    )
}

function requireNotInOtherCohort(known: readonly store.Member[], cohortId: string): void {
  const taken = known.filter((device) => device.cohortId !== null && device.cohortId !== cohortId)
  if (taken.length === 0) return
  const names = taken
    .slice(0, MAX_NAMED)
    .map(({ id, cohortName }) => `${id} (${cohortName ?? ''})`)
    .join(', ')
  throw new AppError(
    'conflict',
    'device-in-another-cohort',
    `${formatCountOf(taken.length, 'of the devices is', 'of the devices are')} in another cohort: ${names}. Send "move": true to take such devices out of it.`,
  )
}

export async function listCohortDevices(
  ctx: Pick<AppContext, 'db' | 'now' | 'signingKey'>,
  input: { workspaceId: string; deploymentCohortId: string } & PageRequested,
) {
  const { workspaceId, deploymentCohortId } = input
  const { id: cohortId } = await getCohort(ctx.db, workspaceId, deploymentCohortId)
  const page = openPage(ctx, ['cohort-devices', workspaceId, cohortId], input)
  const after = page.after && String(page.after[0])
  const rows = await store.listMemberPage(ctx.db, workspaceId, {
    cohortId,
    after,
    limit: page.rowLimit,
  })
  const { page: devices, next } = page.cut(rows, ({ id }) => [id])
  return { devices, ...next }
}
