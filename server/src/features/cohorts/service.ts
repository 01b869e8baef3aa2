import { isDeepStrictEqual } from 'node:util'
import { readName } from '../../formats/one-line-name.ts'
import type { Actor } from '../../platform/actor.ts'
import type { AppContext } from '../../platform/context.ts'
import type { Db, Tx } from '../../platform/db/connect.ts'
import { refuseTaken } from '../../platform/db/failures.ts'
import { AppError, invalid, notFound } from '../../platform/errors.ts'
import type { Precondition } from '../../platform/http/editing.ts'
import { isUuid, newId } from '../../platform/ids.ts'
import type { LogSeverity } from '../../formats/device-messages/model.ts'
import { recordAudit } from '../audit/index.ts'
import { signalDesiredChange } from '../devices/index.ts'
import * as store from './store.ts'
import * as members from './members/store.ts'
import { withDevicesLocked } from './members/locks-service.ts'
import { applyTagRules } from './members/moves-service.ts'
import { hasTags, type TagRule } from './tag-rule.ts'

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
  logSeverity?: LogSeverity | null
  pollingSeconds?: number | null
  pollingJitterPercent?: number
  keyRotationDays?: number | null
}

export async function createCohort(ctx: AppContext, input: CreateCohort) {
  const { workspaceId, actor, description = null, tagRule = null, logSeverity = null } = input
  const name = readName(input.name)
  requireTags(tagRule)
  const id = newId()
  const { pollingSeconds = null, pollingJitterPercent = 0, keyRotationDays = null } = input
  const asked = { pollingSeconds, pollingJitterPercent, keyRotationDays }
  const fields = { name, description, tagRule, logSeverity, ...asked }
  return refuseTaken(nameTaken(name), () =>
    withDevicesLocked(ctx, {
      workspaceId,
      affectedDevices: (tx) =>
        members.listDevicesAffectedByRule(tx, workspaceId, { cohortId: id, tagRule }),
      change: async (tx, deviceIds) => {
        await store.insertCohort(tx, { workspaceId, id, ...fields, createdAt: ctx.now() })
        await applyTagRules(ctx, tx, { workspaceId, deviceIds })
        const entry = {
          ...resource(workspaceId, id),
          actor,
          action: 'deployment-cohort.create' as const,
        }
        await recordAudit(ctx, tx, { ...entry, after: fields })
        return getCohort(tx, workspaceId, id)
      },
    }),
  )
}

interface CohortFields {
  name?: string
  description?: string | null
  tagRule?: TagRule | null
  logSeverity?: LogSeverity | null
  pollingSeconds?: number | null
  pollingJitterPercent?: number
  keyRotationDays?: number | null
}

export type ChangeCohort = Change &
  CohortFields & {
    deploymentCohortId: string
    precondition?: Precondition | undefined
  }

export async function changeCohort(ctx: AppContext, input: ChangeCohort) {
  const { workspaceId, actor, deploymentCohortId } = input
  requireTags(input.tagRule ?? null)
  const known = await getCohort(ctx.db, workspaceId, deploymentCohortId)
  const { id } = known
  const { name: written = known.name } = input
  const newName = written === known.name ? undefined : readName(written)
  // The devices of a rule that stays are left alone: there may be many.
  const newRule = isDeepStrictEqual(input.tagRule, known.tagRule) ? undefined : input.tagRule
  const affectedDevices = (tx: Tx) =>
    newRule === undefined
      ? Promise.resolve([])
      : members.listDevicesAffectedByRule(tx, workspaceId, { cohortId: id, tagRule: newRule })
  return refuseTaken(nameTaken(newName ?? ''), () =>
    withDevicesLocked(ctx, {
      workspaceId,
      affectedDevices,
      change: async (tx, deviceIds) => {
        await store.lockCohort(tx, workspaceId, id)
        const before = await getCohort(tx, workspaceId, id)
        input.precondition?.(before)
        const { description = before.description, logSeverity = before.logSeverity } = input
        const tagRule = newRule === undefined ? before.tagRule : newRule
        const asked = { ...pickAsked(before), ...pickAsked(input) }
        const fields = { description, tagRule, logSeverity, ...asked }
        const after = { name: newName ?? before.name, ...fields }
        await store.updateCohort(tx, { workspaceId, id, ...after, updatedAt: ctx.now() })
        await applyTagRules(ctx, tx, { workspaceId, deviceIds })
        if (logSeverity !== before.logSeverity) await signalDesiredChange(tx, workspaceId, 'all')
        const entry = {
          ...resource(workspaceId, id),
          actor,
          action: 'deployment-cohort.update' as const,
        }
        await recordAudit(ctx, tx, { ...entry, before, after })
        return getCohort(tx, workspaceId, id)
      },
    }),
  )
}

/** What its devices are asked, besides what they log. */
type Asked = Pick<store.CohortFields, 'pollingSeconds' | 'pollingJitterPercent' | 'keyRotationDays'>

function pickAsked(given: Asked): Asked
function pickAsked(given: Partial<Asked>): Partial<Asked>
function pickAsked(given: Partial<Asked>): Partial<Asked> {
  const { pollingSeconds, pollingJitterPercent, keyRotationDays } = given
  return {
    ...(pollingSeconds !== undefined && { pollingSeconds }),
    ...(pollingJitterPercent !== undefined && { pollingJitterPercent }),
    ...(keyRotationDays !== undefined && { keyRotationDays }),
  }
}

/** Deletes a cohort with its past deployments. Its devices become free for the tag rules of other cohorts. */
export async function deleteCohort(
  ctx: AppContext,
  { workspaceId, actor, deploymentCohortId }: Change & { deploymentCohortId: string },
): Promise<void> {
  const { id } = await getCohort(ctx.db, workspaceId, deploymentCohortId)
  await withDevicesLocked(ctx, {
    workspaceId,
    affectedDevices: async (tx) => listIds(await members.listMembers(tx, workspaceId, id)),
    change: async (tx, deviceIds) => {
      await store.lockCohort(tx, workspaceId, id)
      const before = await getCohort(tx, workspaceId, id)
      if (before.activeDeploymentId !== null)
        throw new AppError(
          'conflict',
          'cohort-has-active-deployment',
          `The cohort has an active deployment, ${before.activeDeploymentId}. Cancel it first.`,
        )
      const { name, description, logSeverity } = before
      const ruled = { name, description, logSeverity, tagRule: null, ...pickAsked(before) }
      await store.updateCohort(tx, { workspaceId, id, ...ruled, updatedAt: ctx.now() })
      await members.releaseToRules(tx, workspaceId, deviceIds)
      await applyTagRules(ctx, tx, { workspaceId, deviceIds })
      await ctx.reactions.cohortDeleting(ctx, tx, { workspaceId, cohortId: id })
      await store.deleteCohort(tx, workspaceId, id)
      const entry = {
        ...resource(workspaceId, id),
        actor,
        action: 'deployment-cohort.delete' as const,
      }
      await recordAudit(ctx, tx, { ...entry, before })
    },
  })
}

/** Which devices would change their cohort if this one had the rule; a cohort that is not there yet is the newest. Changes nothing. */
export async function previewTagRule(
  db: Db,
  input: { workspaceId: string; deploymentCohortId?: string | null; tagRule: TagRule | null },
) {
  const { workspaceId, deploymentCohortId = null, tagRule } = input
  requireTags(tagRule)
  const cohort =
    deploymentCohortId === null ? null : await getCohort(db, workspaceId, deploymentCohortId)
  return { moves: await members.countMovesByRule(db, workspaceId, { cohort, tagRule }) }
}

function listIds(rows: readonly { id: string }[]): string[] {
  return rows.map(({ id }) => id)
}

function resource(workspaceId: string, resourceId: string) {
  return { workspaceId, resourceType: 'deployment-cohort', resourceId }
}

function requireTags(tagRule: TagRule | null): void {
  if (tagRule && !hasTags(tagRule))
    throw invalid('The rule contains no tag, so it would match every device.', '/tagRule')
}

const nameTaken = (name: string) => () =>
  new AppError(
    'conflict',
    'deployment-cohort-name-taken',
    `A deployment cohort named ${JSON.stringify(name)} exists already.`,
  )
