import { readName } from '../../formats/one-line-name.ts'
import type { Actor } from '../../platform/actor.ts'
import type { AppContext } from '../../platform/context.ts'
import { AppError, invalid, notFound } from '../../platform/errors.ts'
import { isUuid, newId } from '../../platform/ids.ts'
import { recordAudit } from '../audit/index.ts'
import { invitePerson, issueApiKey, SCOPES } from '../auth/index.ts'
import * as store from './store.ts'

export async function getSettings(ctx: Pick<AppContext, 'db'>, workspaceId: string) {
  const settings = await store.findSettings(ctx.db, workspaceId)
  if (!settings) throw notFound('workspace', workspaceId)
  return settings
}

export type UpdateSettings = store.WritableSettings & { workspaceId: string; actor: Actor }

export async function updateSettings(ctx: AppContext, input: UpdateSettings) {
  const { workspaceId, actor, ...written } = input
  return ctx.db.transaction().execute(async (tx) => {
    const before = await store.lockSettings(tx, workspaceId)
    if (!before) throw notFound('workspace', workspaceId)
    const name = written.name === before.name ? before.name : readName(written.name)
    const settings = { ...written, name }
    const after = await store.updateSettings(tx, workspaceId, { ...settings, updatedAt: ctx.now() })
    const entry = { workspaceId, actor, resourceType: 'workspace', resourceId: workspaceId }
    await recordAudit(ctx, tx, { ...entry, action: 'workspace.update', before, after })
    await ctx.reactions.settingsChanged(ctx, tx, { workspaceId, before, after })
    return after
  })
}

export async function removeMember(
  ctx: AppContext,
  input: { workspaceId: string; subjectId: string; actor: Actor },
): Promise<void> {
  const { workspaceId, subjectId, actor } = input
  if (!isUuid(subjectId)) throw invalid('The subjectId is not a UUID.', '/params/subjectId')
  await ctx.db.transaction().execute(async (tx) => {
    const members = await store.lockMembers(tx, workspaceId)
    const member = members.find((one) => one.subjectId === subjectId.toLowerCase())
    if (!member) throw notFound('member', subjectId)
    const owners = members.filter(({ role }) => role === 'Owner')
    if (member.role === 'Owner' && owners.length === 1)
      throw new AppError(
        'invalid',
        'last-owner',
        'The last owner of a workspace cannot be removed. Make another member its owner first.',
      )
    await store.deleteMember(tx, workspaceId, member.subjectId)
    const entry = { workspaceId, actor, resourceType: 'member', resourceId: member.subjectId }
    await recordAudit(ctx, tx, { ...entry, action: 'member.remove', before: member })
  })
}

export interface BootstrapWorkspace {
  name: string
  ownerEmail: string
  actor: Actor
}

/** Creates a workspace, its owner with a setup link, and a key with every scope, in one transaction. */
export async function bootstrapWorkspace(
  ctx: Pick<AppContext, 'db' | 'now' | 'config'>,
  input: BootstrapWorkspace,
) {
  const { ownerEmail, actor } = input
  const name = readName(input.name)
  return ctx.db.transaction().execute(async (tx) => {
    const workspaceId = newId()
    const createdAt = ctx.now()
    await store.insertWorkspace(tx, { id: workspaceId, name, createdAt })
    const { person, setupUrl } = await invitePerson(ctx, tx, ownerEmail)
    const member = { workspaceId, subjectId: person.id, role: 'Owner', joinedAt: createdAt }
    await store.insertMember(tx, member)
    const entry = { workspaceId, actor, action: 'workspace.create', resourceType: 'workspace' }
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
