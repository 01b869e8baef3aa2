import type { Actor } from '../../platform/actor.ts'
import type { AppContext } from '../../platform/context.ts'
import { type Db, refusingTaken, type Tx } from '../../platform/db/connect.ts'
import { AppError, invalid, notFound } from '../../platform/errors.ts'
import { decodeCursor, encodeCursor } from '../../platform/http/cursor.ts'
import { DEFAULT_LIMIT } from '../../platform/http/schemas.ts'
import { isUuid, newId } from '../../platform/ids.ts'
import { recordAudit } from '../audit/index.ts'
import * as store from './cohort-store.ts'
import * as members from './cohort-members-store.ts'
import { deleteDeploymentsOfCohort } from './store.ts'
import { withDevicesLocked } from './member-locks-service.ts'
import { applyTagRules } from './membership-service.ts'
import { namesTags, type TagRule } from './tag-rule.ts'

interface Change {
  workspaceId: string
  actor: Actor
}

export async function getCohort(db: Db, workspaceId: string, deploymentCohortId: string) {
  const cohort = isUuid(deploymentCohortId)
    ? await store.findCohort(db, workspaceId, deploymentCohortId)
    : undefined
  if (!cohort) throw notFound('deployment cohort', deploymentCohortId)
  return cohort
}

export type CreateCohort = Change & {
  name: string
  description?: string | null
  tagRule?: TagRule | null
}

export async function createCohort(ctx: AppContext, input: CreateCohort) {
  const { workspaceId, actor, name, description = null, tagRule = null } = input
  requireTags(tagRule)
  const id = newId()
  const fields = { name, description, tagRule }
  return refusingTaken(nameTaken(name), () =>
    withDevicesLocked(ctx, {
      workspaceId,
      concerned: (tx) => members.listConcernedByRule(tx, workspaceId, { cohortId: id, tagRule }),
      change: async (tx, deviceIds) => {
        await store.insertCohort(tx, { workspaceId, id, ...fields, createdAt: ctx.now() })
        await applyTagRules(ctx, tx, { workspaceId, deviceIds })
        const entry = { ...resource(workspaceId, id), actor, action: 'deployment-cohort.create' }
        await recordAudit(ctx, tx, { ...entry, after: fields })
        return getCohort(tx, workspaceId, id)
      },
    }),
  )
}

export type ChangeCohort = Change & {
  deploymentCohortId: string
  name?: string
  description?: string | null
  tagRule?: TagRule | null
}

export async function changeCohort(ctx: AppContext, input: ChangeCohort) {
  const { workspaceId, actor, deploymentCohortId } = input
  requireTags(input.tagRule ?? null)
  const known = await getCohort(ctx.db, workspaceId, deploymentCohortId)
  const { id } = known
  const concerned = (tx: Tx) =>
    input.tagRule === undefined
      ? Promise.resolve([])
      : members.listConcernedByRule(tx, workspaceId, { cohortId: id, tagRule: input.tagRule })
  return refusingTaken(nameTaken(input.name ?? ''), () =>
    withDevicesLocked(ctx, {
      workspaceId,
      concerned,
      change: async (tx, deviceIds) => {
        await store.lockCohort(tx, workspaceId, id)
        const before = await getCohort(tx, workspaceId, id)
        const { name = before.name, description = before.description } = input
        const { tagRule = before.tagRule } = input
        const after = { name, description, tagRule }
        await store.updateCohort(tx, { workspaceId, id, ...after, updatedAt: ctx.now() })
        await applyTagRules(ctx, tx, { workspaceId, deviceIds })
        const entry = { ...resource(workspaceId, id), actor, action: 'deployment-cohort.update' }
        await recordAudit(ctx, tx, { ...entry, before, after })
        return getCohort(tx, workspaceId, id)
      },
    }),
  )
}

/** Its devices are free for other cohorts, and its deployments go with it. */
export async function deleteCohort(
  ctx: AppContext,
  { workspaceId, actor, deploymentCohortId }: Change & { deploymentCohortId: string },
): Promise<void> {
  const { id } = await getCohort(ctx.db, workspaceId, deploymentCohortId)
  await withDevicesLocked(ctx, {
    workspaceId,
    concerned: async (tx) => idsOf(await members.listMembers(tx, workspaceId, id)),
    change: async (tx, deviceIds) => {
      await store.lockCohort(tx, workspaceId, id)
      const before = await getCohort(tx, workspaceId, id)
      if (before.activeDeploymentId !== null)
        throw new AppError(
          'conflict',
          'cohort-has-active-deployment',
          `The cohort has an active deployment, ${before.activeDeploymentId}. Cancel it first.`,
        )
      const { name, description } = before
      const ruled = { name, description, tagRule: null, updatedAt: ctx.now() }
      await store.updateCohort(tx, { workspaceId, id, ...ruled })
      await members.leaveToRules(tx, workspaceId, deviceIds)
      await applyTagRules(ctx, tx, { workspaceId, deviceIds })
      await deleteDeploymentsOfCohort(tx, workspaceId, id)
      await store.deleteCohort(tx, workspaceId, id)
      const entry = { ...resource(workspaceId, id), actor, action: 'deployment-cohort.delete' }
      await recordAudit(ctx, tx, { ...entry, before })
    },
  })
}

export async function listCohortDevices(
  ctx: Pick<AppContext, 'db' | 'now' | 'signingKey'>,
  input: { workspaceId: string; deploymentCohortId: string; limit?: number; cursor?: string },
) {
  const { workspaceId, deploymentCohortId, limit = DEFAULT_LIMIT, cursor } = input
  const { id: cohortId } = await getCohort(ctx.db, workspaceId, deploymentCohortId)
  const scope = ['cohort-devices', workspaceId, cohortId]
  const position = cursor === undefined ? undefined : decodeCursor(ctx.signingKey, scope, cursor)
  const after = position && String(position.after[0])
  const page = { cohortId, after, limit: limit + 1 }
  const rows = await members.pageOfMembers(ctx.db, workspaceId, page)
  const devices = rows.slice(0, limit)
  const last = devices.at(-1)
  if (rows.length <= limit || !last) return { devices, hasMore: false }
  const next = { after: [last.id], asOf: position?.asOf ?? ctx.now().getTime() }
  return { devices, hasMore: true, nextCursor: encodeCursor(ctx.signingKey, scope, next) }
}

function idsOf(rows: readonly { id: string }[]): string[] {
  return rows.map(({ id }) => id)
}

function resource(workspaceId: string, resourceId: string) {
  return { workspaceId, resourceType: 'deployment-cohort', resourceId }
}

function requireTags(tagRule: TagRule | null): void {
  if (tagRule && !namesTags(tagRule))
    throw invalid('The rule names no tag, so that it would mean every device.', '/tagRule')
}

const nameTaken = (name: string) => () =>
  new AppError(
    'conflict',
    'deployment-cohort-name-taken',
    `A deployment cohort named ${JSON.stringify(name)} exists already.`,
  )
