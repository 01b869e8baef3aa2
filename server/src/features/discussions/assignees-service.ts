/** A member looks after a vulnerability, wherever the workspace has it. */
import type { Actor } from '../../platform/actor.ts'
import type { AppContext } from '../../platform/context.ts'
import type { Tx } from '../../platform/db/connect.ts'
import { notFound } from '../../platform/errors.ts'
import { findVulnerabilityId } from '../advisories/index.ts'
import { recordAudit } from '../audit/index.ts'
import type { MemberLeaving } from '../workspaces/index.ts'
import { planMails } from './mails-service.ts'
import { AssignmentToSend } from './schemas.ts'
import * as store from './store.ts'

interface OneVulnerability {
  workspaceId: string
  cveId: string
}

export async function requireVulnerabilityId(
  ctx: Pick<AppContext, 'db'>,
  named: string,
): Promise<string> {
  const id = await findVulnerabilityId(ctx.db, named)
  if (id === undefined) throw notFound('vulnerability', named)
  return id
}

export async function readAssignment(
  ctx: Pick<AppContext, 'db'>,
  { workspaceId, cveId: named }: OneVulnerability,
) {
  const cveId = await requireVulnerabilityId(ctx, named)
  const found = (await store.readDiscussions(ctx.db, workspaceId, [cveId])).get(cveId)
  return {
    cveId,
    assignee: found?.assignee ?? null,
    assignedAt: found?.assignedAt ?? null,
    assignedByEmail: found?.assignedByEmail ?? null,
  }
}

export async function assignVulnerability(
  ctx: AppContext,
  { subjectId, actor, ...input }: OneVulnerability & { subjectId: string | null; actor: Actor },
) {
  const { workspaceId } = input
  const id = await requireVulnerabilityId(ctx, input.cveId)
  await ctx.db.transaction().execute(async (tx) => {
    const change = { workspaceId, vulnerabilityIds: [id], subjectId, actor }
    const { replaced, assignee } = await assignAll(ctx, tx, change)
    const [before] = replaced
    if (!before) return
    await recordAudit(ctx, tx, {
      workspaceId,
      actor,
      action: 'vulnerability.assign',
      resourceType: 'vulnerability',
      resourceId: id,
      before: { assignee: before.assignee?.email ?? null },
      after: { assignee: assignee?.email ?? null },
      about: listMember(assignee),
    })
  })
  return readAssignment(ctx, input)
}

interface AssignAll {
  workspaceId: string
  vulnerabilityIds: readonly string[]
  /** null: nobody. */
  subjectId: string | null
  actor: Actor
  /** Only those that this member looks after now (null: nobody does). undefined: all. */
  only?: string | null | undefined
  dryRun?: boolean | undefined
}

/** Gives many to one member, in one transaction. `selection`: how they were chosen, for the audit log. */
export async function assignVulnerabilities(
  ctx: AppContext,
  input: AssignAll & { selection: object },
) {
  return ctx.db.transaction().execute(async (tx) => {
    const replaced = await assignMany(ctx, tx, input)
    return {
      matched: input.vulnerabilityIds.length,
      changed: replaced.length,
      replaced: groupByAssignee(replaced),
    }
  })
}

/** One entry of the audit log for all of them. */
async function assignMany(
  ctx: AppContext,
  tx: Tx,
  { selection, ...input }: AssignAll & { selection: object },
) {
  const { workspaceId, actor, dryRun = false } = input
  const { replaced, assignee } = await assignAll(ctx, tx, input)
  if (dryRun || replaced.length === 0) return replaced
  const cveIds = replaced.map(({ cveId }) => cveId)
  await recordAudit(ctx, tx, {
    workspaceId,
    actor,
    resourceType: 'workspace',
    resourceId: workspaceId,
    action: 'vulnerability.bulk-assign',
    after: {
      ...selection,
      assignee: assignee?.email ?? null,
      cveIds: cveIds.slice(0, MOST_AUDITED),
      cveCount: cveIds.length,
    },
    about: listMember(assignee),
  })
  return replaced
}

/** Gives all that a member looks after to another. */
export async function handOverAssigned(
  ctx: AppContext,
  tx: Tx,
  { workspaceId, personId, toId: subjectId, actor }: MemberLeaving,
): Promise<void> {
  await store.lockAssignees(tx, workspaceId)
  const vulnerabilityIds = await store.listAssignedIds(tx, workspaceId, personId)
  if (vulnerabilityIds.length === 0) return
  const given = { workspaceId, vulnerabilityIds, subjectId, actor, only: personId }
  await assignMany(ctx, tx, { ...given, selection: { handedOver: true } })
}

const listMember = (person: store.Person | null) =>
  person ? [{ type: 'member' as const, id: person.subjectId }] : []

const MOST_AUDITED = 1_000

function groupByAssignee(replaced: readonly { cveId: string; assignee: store.Person | null }[]) {
  const groups = Map.groupBy(replaced, ({ assignee }) => assignee?.subjectId)
  return [...groups.values()].map((group) => ({
    assignee: group[0]?.assignee ?? null,
    cveIds: group.map(({ cveId }) => cveId),
  }))
}

/** The vulnerabilities whose assignee changes, with the one they had. */
async function assignAll(ctx: AppContext, tx: Tx, input: AssignAll) {
  const { workspaceId, subjectId, actor, only, dryRun = false } = input
  const assignee = await requireMember(tx, workspaceId, subjectId)
  if (!dryRun) await store.lockAssignees(tx, workspaceId)
  const present = await store.readDiscussions(tx, workspaceId, input.vulnerabilityIds)
  const replaced = [...present].flatMap(([cveId, discussion]) => {
    const now = discussion.assignee?.subjectId ?? null
    const isMeant = now !== subjectId && (only === undefined || now === only)
    return isMeant ? [{ cveId, assignee: discussion.assignee }] : []
  })
  const vulnerabilityIds = replaced.map(({ cveId }) => cveId)
  if (dryRun || replaced.length === 0) return { replaced, assignee }
  const byEmail = actor.email ?? null
  const change = { vulnerabilityIds, personId: subjectId, at: ctx.now(), byEmail }
  await store.replaceAssignees(tx, workspaceId, change)
  if (assignee && assignee.email !== byEmail) {
    const payload = {
      personId: assignee.subjectId,
      byEmail,
      vulnerabilityIds: vulnerabilityIds.slice(0, MOST_NAMED),
      count: vulnerabilityIds.length,
    }
    await planMails(ctx, tx, workspaceId, [{ to: assignee, message: AssignmentToSend, payload }])
  }
  return { replaced, assignee }
}

/** In a mail. */
const MOST_NAMED = 20

/** null: nobody is meant. */
export async function requireMember(
  tx: Tx,
  workspaceId: string,
  subjectId: string | null,
): Promise<store.Person | null> {
  if (subjectId === null) return null
  const [member] = await store.listMembersAmong(tx, workspaceId, { ids: [subjectId] })
  if (!member) throw notFound('member', subjectId)
  return member
}
