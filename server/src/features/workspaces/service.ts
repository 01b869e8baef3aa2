import { readName } from '../../formats/one-line-name.ts'
import type { Actor } from '../../platform/actor.ts'
import type { AppContext } from '../../platform/context.ts'
import type { Tx } from '../../platform/db/connect.ts'
import { AppError, invalid, notFound } from '../../platform/errors.ts'
import type { Precondition } from '../../platform/http/editing.ts'
import { isUuid, newId } from '../../platform/ids.ts'
import { recordAudit } from '../audit/index.ts'
import {
  canManageRole,
  invitePerson,
  issueApiKey,
  revokeKeysOfMaker,
  revokeLoginKeys,
  type Role,
  SCOPES,
} from '../auth/index.ts'
import * as store from './store.ts'

export async function getSettings(ctx: Pick<AppContext, 'db'>, workspaceId: string) {
  const settings = await store.findSettings(ctx.db, workspaceId)
  if (!settings) throw notFound('workspace', workspaceId)
  return settings
}

const TARGET_SEVERITIES = ['Critical', 'High', 'Medium', 'Low'] as const

export type UpdateSettings = store.WritableSettings & {
  workspaceId: string
  actor: Actor
  /** Whoever demands a second factor of all members has one, or would be locked out. */
  hasSecondFactor: boolean
  precondition?: Precondition | undefined
}

export async function updateSettings(ctx: AppContext, input: UpdateSettings) {
  const { workspaceId, actor, hasSecondFactor, precondition, ...written } = input
  return ctx.db.transaction().execute(async (tx) => {
    const before = await store.lockSettings(tx, workspaceId)
    if (!before) throw notFound('workspace', workspaceId)
    precondition?.(before)
    if (written.requireSecondFactor === true && !before.requireSecondFactor && !hasSecondFactor)
      throw new AppError(
        'conflict',
        'second-factor-needed',
        'You would lock yourself out: add a second factor to your account first.',
      )
    const name = written.name === before.name ? before.name : readName(written.name)
    const settings = { ...written, name }
    const at = ctx.now()
    const after = await store.updateSettings(tx, workspaceId, { ...settings, updatedAt: at })
    if (haveOtherTargets(before, after))
      await store.keepFormerTargets(tx, {
        workspaceId,
        until: at,
        targetDays: before.remediationTargetDays,
      })
    const entry = { workspaceId, actor, resourceType: 'workspace', resourceId: workspaceId }
    await recordAudit(ctx, tx, { ...entry, action: 'workspace.update', before, after })
    await ctx.reactions.settingsChanged(ctx, tx, { workspaceId, before, after })
    return after
  })
}

type Targets = Pick<store.WritableSettings, 'remediationTargetDays'>

const haveOtherTargets = ({ remediationTargetDays: before }: Targets, after: Targets): boolean =>
  TARGET_SEVERITIES.some((severity) => before[severity] !== after.remediationTargetDays[severity])

/** Throws unless this role may give the other one, or take it away. undefined: the operator, who may. */
export function requireRankOver(by: Role | undefined, other: Role): void {
  if (by === undefined || canManageRole(by, other)) return
  throw new AppError('forbidden', 'owner-needed', 'Only owners make, lower and remove owners.')
}

interface MemberKey {
  workspaceId: string
  subjectId: string
}

interface OneMember extends MemberKey {
  /** The role of who asks; undefined: a key, or the operator. */
  by: Role | undefined
  actor: Actor
}

/** A key removes owners only if an owner or the operator made it, or making one would be a way around roles. */
async function rankOfKey(tx: Tx, workspaceId: string, { type, email }: Actor) {
  if (type !== 'ApiKey' || email === undefined) return undefined
  const role = await store.findRoleOfEmail(tx, workspaceId, email)
  return role === undefined || role === 'Owner' ? role : 'Admin'
}

/** The members are locked, so that an owner remains also when two are removed at once. */
async function lockMember(tx: Tx, { workspaceId, subjectId, by, actor }: OneMember) {
  if (!isUuid(subjectId)) throw invalid('The subjectId is not a UUID.', '/params/subjectId')
  const members = await store.lockMembers(tx, workspaceId)
  const member = members.find((one) => one.subjectId === subjectId.toLowerCase())
  if (!member) throw notFound('member', subjectId)
  requireRankOver(by ?? (await rankOfKey(tx, workspaceId, actor)), member.role)
  const owners = members.filter(({ role }) => role === 'Owner')
  return { ...member, isLastOwner: member.role === 'Owner' && owners.length === 1 }
}

function lastOwner(): AppError {
  return new AppError(
    'invalid',
    'last-owner',
    'The last owner of a workspace cannot be removed or lowered. Make another member its owner first.',
  )
}

interface RemovalTerms {
  revokesKeys?: boolean
  /** Who takes the accepted risks that the member looks after. */
  acceptancesToId?: string | undefined
  /** Who takes all that the member looks after. */
  heirId?: string | undefined
}

/** Sessions of the person reach the workspace no more from the next request on. */
export async function removeMember(
  ctx: AppContext,
  { revokesKeys = false, heirId, acceptancesToId = heirId, ...input }: OneMember & RemovalTerms,
): Promise<void> {
  const { workspaceId, actor } = input
  await ctx.db.transaction().execute(async (tx) => {
    if (heirId !== undefined) await handOver(ctx, tx, { ...input, heirId })
    const { isLastOwner, ...member } = await lockMember(tx, input)
    if (isLastOwner) throw lastOwner()
    const personId = member.subjectId
    const entry = { workspaceId, actor, resourceType: 'member', resourceId: personId }
    // While it is known who that is.
    await recordAudit(ctx, tx, { ...entry, action: 'member.remove', before: member })
    await store.deleteMember(tx, workspaceId, personId)
    await revokeLoginKeys(tx, { workspaceId, personId, revokedAt: ctx.now() })
    if (revokesKeys) await revokeKeysOfMaker(ctx, tx, { workspaceId, personId, actor })
    const changed = { workspaceId, personId, role: null, actor, acceptancesToId }
    await ctx.reactions.memberChanged(ctx, tx, changed)
  })
}

async function handOver(
  ctx: AppContext,
  tx: Tx,
  { workspaceId, subjectId, heirId, actor }: OneMember & { heirId: string },
): Promise<void> {
  const [personId, toId] = [subjectId.toLowerCase(), heirId.toLowerCase()]
  if (!isUuid(personId)) throw invalid('The subjectId is not a UUID.', '/params/subjectId')
  if (toId === personId)
    throw invalid('The member who leaves cannot take what they look after.', '/query/handOverTo')
  if (!(await store.isMember(tx, workspaceId, toId)))
    throw invalid('No member of the workspace has this subjectId.', '/query/handOverTo')
  await ctx.reactions.memberLeaving(ctx, tx, { workspaceId, personId, toId, actor })
}

export async function getMember(
  { db }: Pick<AppContext, 'db'>,
  { workspaceId, subjectId }: MemberKey,
) {
  const personId = subjectId.toLowerCase()
  if (!isUuid(personId)) throw invalid('The subjectId is not a UUID.', '/params/subjectId')
  const member = await store.findMember(db, workspaceId, personId)
  if (!member) throw notFound('member', subjectId)
  return member
}

/** What a member looks after; what of it nobody else does. */
export async function getMemberDuties(
  ctx: Pick<AppContext, 'db'>,
  { workspaceId, subjectId }: MemberKey,
) {
  const personId = subjectId.toLowerCase()
  if (!isUuid(personId)) throw invalid('The subjectId is not a UUID.', '/params/subjectId')
  if (!(await store.isMember(ctx.db, workspaceId, personId))) throw notFound('member', subjectId)
  return store.countDuties(ctx.db, workspaceId, personId)
}

export async function changeRole(
  ctx: AppContext,
  {
    role,
    precondition,
    ...input
  }: OneMember & { role: Role; precondition: Precondition | undefined },
): Promise<void> {
  const { workspaceId, by, actor } = input
  await ctx.db.transaction().execute(async (tx) => {
    const { isLastOwner, subjectId, role: former } = await lockMember(tx, input)
    precondition?.({ role: former })
    requireRankOver(by, role)
    if (former === role) return
    if (isLastOwner) throw lastOwner()
    await store.updateRole(tx, workspaceId, { subjectId, role })
    await ctx.reactions.memberChanged(ctx, tx, { workspaceId, personId: subjectId, role, actor })
    const entry = { workspaceId, actor, resourceType: 'member', resourceId: subjectId }
    const change = { before: { role: former }, after: { role } }
    await recordAudit(ctx, tx, { ...entry, action: 'member.change-role', ...change })
  })
}

interface NewMember {
  workspaceId: string
  personId: string
  role: Role
  actor: Actor
  invitedByEmail?: string | null
}

/** Somebody who is a member already keeps the role. */
export async function addMember(
  ctx: Pick<AppContext, 'now'>,
  tx: Tx,
  { workspaceId, personId: subjectId, role, actor, invitedByEmail = null }: NewMember,
): Promise<void> {
  if (!(await store.insertMember(tx, { workspaceId, subjectId, role, joinedAt: ctx.now() }))) return
  const entry = { workspaceId, actor, resourceType: 'member', resourceId: subjectId }
  const after = { role, invitedByEmail }
  await recordAudit(ctx, tx, { ...entry, action: 'member.join', after })
}

/** Whether owners and admins of the workspace may read sources and carry files in, for all workspaces (decision 31). */
export async function setKeepsSources(
  ctx: Pick<AppContext, 'db' | 'now'>,
  {
    workspaceId,
    keepsSources,
    actor,
  }: { workspaceId: string; keepsSources: boolean; actor: Actor },
): Promise<void> {
  await ctx.db.transaction().execute(async (tx) => {
    if (!(await store.updateKeepsSources(tx, workspaceId, keepsSources)))
      throw notFound('workspace', workspaceId)
    const entry = { workspaceId, actor, resourceType: 'workspace', resourceId: workspaceId }
    await recordAudit(ctx, tx, { ...entry, action: 'workspace.update', after: { keepsSources } })
  })
}

export interface BootstrapWorkspace {
  name: string
  ownerEmail: string
  actor: Actor
  /** See `setKeepsSources`. */
  keepsSources?: boolean
}

/** Creates a workspace, its owner with a setup link, and a key with every scope, in one transaction. */
export async function bootstrapWorkspace(
  ctx: Pick<AppContext, 'db' | 'now' | 'config'>,
  input: BootstrapWorkspace,
) {
  const { ownerEmail, actor, keepsSources = false } = input
  const name = readName(input.name)
  return ctx.db.transaction().execute(async (tx) => {
    const workspaceId = newId()
    const createdAt = ctx.now()
    // People first, as requests with keys lock both tables in this order on Citus.
    const { person, setupUrl } = await invitePerson(ctx, tx, ownerEmail)
    await store.insertWorkspace(tx, { id: workspaceId, name, createdAt, keepsSources })
    const member = {
      workspaceId,
      subjectId: person.id,
      role: 'Owner',
      joinedAt: createdAt,
    } as const
    await store.insertMember(tx, member)
    const entry = {
      workspaceId,
      actor,
      action: 'workspace.create' as const,
      resourceType: 'workspace',
    }
    await recordAudit(ctx, tx, {
      ...entry,
      resourceId: workspaceId,
      after: { name, owner: person.email },
    })
    const key = {
      workspaceId,
      name: 'bootstrap',
      scopes: SCOPES,
      createdByEmail: person.email,
      actor,
    }
    const { apiKey } = await issueApiKey(ctx, tx, key)
    return { workspaceId, apiKey, setupUrl }
  })
}
