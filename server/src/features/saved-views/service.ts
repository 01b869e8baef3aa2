/** Lists as people want to see them again. What somebody shares, whoever may change the list's subject may change too. */
import { readName } from '../../formats/one-line-name.ts'
import type { AppContext } from '../../platform/context.ts'
import type { Tx } from '../../platform/db/connect.ts'
import { AppError, notFound } from '../../platform/errors.ts'
import { isUuid, newId } from '../../platform/ids.ts'
import type { Precondition } from '../../platform/http/editing.ts'
import { recordAudit } from '../audit/index.ts'
import { type Principal, requireScope, type Scope } from '../auth/index.ts'
import type { MemberChanged } from '../workspaces/index.ts'
import type { ViewedList } from './schemas.ts'
import * as store from './store.ts'

const MOST_VIEWS = 200

/** What is needed to share a view of the list, as others see it then. */
const SHARING_SCOPES: Readonly<Record<ViewedList, Scope>> = {
  'audit-log': 'Workspace settings: write',
  findings: 'Vulnerabilities: write',
  'version-findings': 'Vulnerabilities: write',
  'accepted-risks': 'Vulnerabilities: write',
  'version-components': 'SBOMs: write',
  firmware: 'Firmware: write',
  devices: 'Devices: write',
  deployments: 'Deployments: write',
  'deployment-devices': 'Deployments: write',
  incidents: 'Alerts: write',
  deliveries: 'Alerts: write',
}

interface Asked {
  workspaceId: string
  principal: Principal
}

const personOf = ({ actor }: Principal) => (actor.type === 'User' ? actor.id : undefined)

export async function listSavedViews(
  { db }: Pick<AppContext, 'db'>,
  { workspaceId, principal, list }: Asked & { list?: ViewedList },
) {
  const personId = personOf(principal)
  const rows = await store.listViews(db, workspaceId, { personId, list })
  return {
    savedViews: rows.map(({ personId: owner, ...view }) => ({
      ...view,
      isYours: owner === personId,
    })),
  }
}

type Written = Pick<store.ViewRow, 'name' | 'search' | 'isShared'>

export async function saveView(
  ctx: AppContext,
  { workspaceId, principal, ...given }: Asked & Written & { list: ViewedList },
) {
  const personId = personOf(principal) ?? ''
  if (given.isShared) requireScope(principal, SHARING_SCOPES[given.list])
  const name = readName(given.name)
  const row = { ...given, id: newId(), personId, name, updatedAt: ctx.now() }
  await ctx.db.transaction().execute(async (tx) => {
    const { count } = await refuseSameName(tx, workspaceId, row)
    if (count >= MOST_VIEWS)
      throw new AppError(
        'conflict',
        'too-many-saved-views',
        `You have ${MOST_VIEWS} views in this workspace; more are not taken.`,
      )
    await store.insertView(tx, workspaceId, row)
    await auditShared(ctx, tx, { workspaceId, principal, after: row })
  })
  return getSavedView(ctx, { workspaceId, principal, savedViewId: row.id })
}

async function refuseSameName(tx: Tx, workspaceId: string, row: store.ViewRow) {
  const own = await store.countOwnViews(tx, workspaceId, row)
  if (!own.isNamed) return own
  const detail = `A view of yours for this list has the name ${JSON.stringify(row.name)}.`
  throw new AppError('conflict', 'saved-view-exists', detail)
}

interface OneView extends Asked {
  savedViewId: string
}

export async function getSavedView(
  ctx: Pick<AppContext, 'db'>,
  { savedViewId: id, ...asked }: OneView,
) {
  const { savedViews } = await listSavedViews(ctx, asked)
  const found = savedViews.find((view) => view.id === id)
  if (!found) throw notFound('saved view', id)
  return found
}

interface Editing extends OneView {
  precondition: Precondition | undefined
}

/** One's own, or one that somebody shares, which needs the scope. */
async function lockView(
  tx: Tx,
  { workspaceId, principal, savedViewId: id, precondition }: Editing,
) {
  const found = isUuid(id) ? await store.lockView(tx, workspaceId, id) : undefined
  const isYours = found?.personId === personOf(principal)
  if (!found || (!isYours && !found.isShared)) throw notFound('saved view', id)
  if (found.isShared) requireScope(principal, SHARING_SCOPES[found.list])
  precondition?.(found)
  return found
}

export async function changeView(
  ctx: AppContext,
  { name, search, isShared, ...asked }: Editing & Written,
) {
  const { workspaceId, principal } = asked
  await ctx.db.transaction().execute(async (tx) => {
    const before = await lockView(tx, asked)
    if (isShared) requireScope(principal, SHARING_SCOPES[before.list])
    const written = { name: readName(name), search, isShared, updatedAt: ctx.now() }
    const after = { ...before, ...written }
    await refuseSameName(tx, workspaceId, after)
    await store.updateView(tx, workspaceId, { id: before.id, ...written })
    await auditShared(ctx, tx, { workspaceId, principal, before, after })
  })
  return getSavedView(ctx, asked)
}

export async function deleteView(ctx: AppContext, asked: Editing): Promise<void> {
  const { workspaceId, principal } = asked
  await ctx.db.transaction().execute(async (tx) => {
    const before = await lockView(tx, asked)
    await store.deleteView(tx, workspaceId, before.id)
    await auditShared(ctx, tx, { workspaceId, principal, before })
  })
}

interface AuditedView extends Asked {
  before?: store.ViewRow
  after?: store.ViewRow
}

/** What is one's own alone is nobody else's business. */
async function auditShared(
  ctx: AppContext,
  tx: Tx,
  { workspaceId, principal: { actor }, before, after }: AuditedView,
): Promise<void> {
  if (before?.isShared !== true && after?.isShared !== true) return
  const verb = before ? (after ? 'update' : 'delete') : 'create'
  await recordAudit(ctx, tx, {
    workspaceId,
    actor,
    action: `saved-view.${verb}`,
    resourceType: 'saved-view',
    resourceId: (after ?? before)?.id ?? '',
    ...(before && { before: pickAudited(before) }),
    ...(after && { after: pickAudited(after) }),
  })
}

const pickAudited = ({ list, name, search, isShared }: store.ViewRow) => ({
  list,
  name,
  search,
  isShared,
})

export async function deleteViewsOfMember(
  _ctx: unknown,
  tx: Tx,
  { workspaceId, personId, role }: MemberChanged,
): Promise<void> {
  if (role === null) await store.deleteOwnViews(tx, workspaceId, personId)
}
