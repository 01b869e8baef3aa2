/** How a workspace takes reports from outside: whether at all, with which policy, and by when it answers. */
import type { Actor } from '../../platform/actor.ts'
import type { AppContext } from '../../platform/context.ts'
import type { Db } from '../../platform/db/connect.ts'
import { notFound } from '../../platform/errors.ts'
import type { Precondition } from '../../platform/http/editing.ts'
import { recordAudit } from '../audit/index.ts'
import * as store from './policy-store.ts'

type Settings = Pick<AppContext, 'config'>

export async function readPolicy(db: Db, workspaceId: string): Promise<store.PolicyRow> {
  const row = await store.findPolicy(db, workspaceId)
  if (!row) throw notFound('workspace', workspaceId)
  return row
}

export async function getPolicy(
  { config }: Settings,
  db: Db,
  { workspaceId }: { workspaceId: string },
) {
  const { workspaceName: _, ...fields } = await readPolicy(db, workspaceId)
  return { ...fields, pageUrl: `${config.publicUrl}/public/${workspaceId}/report` }
}

export async function updatePolicy(
  ctx: AppContext,
  input: {
    workspaceId: string
    actor: Actor
    precondition?: Precondition | undefined
  } & Partial<store.PolicyFields>,
) {
  const { workspaceId, actor, precondition, ...given } = input
  const fields = pickFields({ ...store.POLICY_DEFAULTS, ...given })
  return ctx.db.transaction().execute(async (tx) => {
    await store.lockPolicy(tx, workspaceId)
    const before = await getPolicy(ctx, tx, { workspaceId })
    precondition?.(before)
    await store.writePolicy(tx, { workspaceId, ...fields, updatedAt: ctx.now() })
    await recordAudit(ctx, tx, {
      workspaceId,
      actor,
      action: 'disclosure-policy.update',
      resourceType: 'workspace',
      resourceId: workspaceId,
      before: pickFields(before),
      after: fields,
    })
    return getPolicy(ctx, tx, { workspaceId })
  })
}

const pickFields = (given: store.PolicyFields): store.PolicyFields => ({
  isPublic: given.isPublic,
  policy: given.policy,
  showsProductLines: given.showsProductLines,
  answerDays: given.answerDays,
  assessmentDays: given.assessmentDays,
  disclosureDays: given.disclosureDays,
  mostPerDay: given.mostPerDay,
})
