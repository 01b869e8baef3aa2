/** What colleagues say to each other about a vulnerability. It stays in the workspace: no VEX document has it. */
import type { Actor } from '../../platform/actor.ts'
import type { AppContext } from '../../platform/context.ts'
import type { Db, Tx } from '../../platform/db/connect.ts'
import { AppError, notFound } from '../../platform/errors.ts'
import { openPage, type PageRequested } from '../../platform/http/paging.ts'
import { isUuid, newId } from '../../platform/ids.ts'
import { recordAudit } from '../audit/index.ts'
import { canManageRole, type Role } from '../auth/index.ts'
import { requireVulnerabilityId } from './assignees-service.ts'
import { planMails } from './mails-service.ts'
import { MentionToSend } from './schemas.ts'
import * as store from './store.ts'

/** The most comments on one vulnerability in a workspace. */
const MOST_COMMENTS = 1_000

interface ListComments extends PageRequested {
  workspaceId: string
  /** undefined: of all vulnerabilities. */
  cveId?: string
  actor: Actor
}

export async function listComments(ctx: AppContext, input: ListComments) {
  const { workspaceId, cveId, actor, ...request } = input
  const vulnerabilityId = cveId === undefined ? undefined : await requireVulnerabilityId(ctx, cveId)
  const scope = ['comments', workspaceId, vulnerabilityId]
  const { after, rowLimit, cut } = openPage(ctx, scope, request)
  const rows = await store.listComments(ctx.db, workspaceId, {
    vulnerabilityId,
    limit: rowLimit,
    after: after && { createdAt: String(after[0]), id: String(after[1]) },
  })
  const { page, next } = cut(rows, ({ createdAt, id }) => [createdAt.toISOString(), id])
  return { comments: await describeComments(ctx.db, { workspaceId, actor }, page), ...next }
}

interface Reader {
  workspaceId: string
  actor: Actor
}

/** Names are those of members. Whoever left is known by the address alone. */
async function describeComments(
  db: Db,
  { workspaceId, actor }: Reader,
  rows: readonly store.CommentRow[],
) {
  const emails = rows.flatMap(({ text, authorEmail }) => [
    ...findMentions(text),
    ...(authorEmail === null ? [] : [authorEmail]),
  ])
  const members = await store.listMembersAmong(db, workspaceId, { emails })
  const byEmail = new Map(members.map((member) => [member.email, member]))
  return rows.map((row) => {
    const { id, vulnerabilityId: cveId, text, createdAt, editedAt, authorType, authorEmail } = row
    const author = authorType === 'User' ? byEmail.get(authorEmail ?? '') : undefined
    return {
      id,
      cveId,
      text,
      createdAt,
      editedAt,
      authorType,
      authorEmail,
      authorName: author?.displayName ?? null,
      isYours: isAuthor(actor, row),
      mentions: findMentions(text).flatMap((email) => byEmail.get(email) ?? []),
    }
  })
}

const isAuthor = ({ type, id }: Actor, row: Pick<store.CommentRow, 'authorType' | 'authorId'>) =>
  row.authorType === type && row.authorId === id

async function describeOne(ctx: AppContext, reader: Reader, row: store.CommentRow) {
  const [described] = await describeComments(ctx.db, reader, [row])
  if (!described) throw notFound('comment', row.id)
  return described
}

interface WriteComment extends Reader {
  cveId: string
  text: string
}

export async function writeComment(ctx: AppContext, { cveId, text, ...reader }: WriteComment) {
  const { workspaceId, actor } = reader
  const vulnerabilityId = await requireVulnerabilityId(ctx, cveId)
  const row: store.CommentRow = {
    id: newId(),
    vulnerabilityId,
    text: text.trim(),
    createdAt: ctx.now(),
    authorType: actor.type === 'User' ? 'User' : 'ApiKey',
    authorId: actor.id ?? '',
    authorEmail: actor.email ?? null,
    editedAt: null,
  }
  await ctx.db.transaction().execute(async (tx) => {
    await refuseMany(tx, workspaceId, vulnerabilityId)
    await store.insertComment(tx, workspaceId, row)
    await audit(ctx, tx, { ...reader, row, action: 'comment.create', after: { text: row.text } })
    await tellMentioned(ctx, tx, { ...reader, row, told: [] })
  })
  return describeOne(ctx, reader, row)
}

async function refuseMany(tx: Tx, workspaceId: string, vulnerabilityId: string): Promise<void> {
  if ((await store.countComments(tx, workspaceId, vulnerabilityId)) < MOST_COMMENTS) return
  throw new AppError(
    'conflict',
    'too-many-comments',
    `${vulnerabilityId} has ${MOST_COMMENTS} comments in this workspace; more are not taken.`,
  )
}

interface AuditedComment extends Reader {
  row: store.CommentRow
  action: 'comment.create' | 'comment.update' | 'comment.delete'
  before?: object
  after?: object
}

async function audit(ctx: AppContext, tx: Tx, entry: AuditedComment): Promise<void> {
  const { workspaceId, actor, row, action, before, after } = entry
  await recordAudit(ctx, tx, {
    workspaceId,
    actor,
    action,
    resourceType: 'comment',
    resourceId: row.id,
    ...(before && { before: { cveId: row.vulnerabilityId, ...before } }),
    ...(after && { after: { cveId: row.vulnerabilityId, ...after } }),
  })
}

/** Each member that the text names, but neither its author nor whom an earlier text named. */
async function tellMentioned(
  ctx: AppContext,
  tx: Tx,
  { workspaceId, row, told }: Reader & { row: store.CommentRow; told: readonly string[] },
): Promise<void> {
  const emails = findMentions(row.text).filter((email) => !told.includes(email))
  const members = await store.listMembersAmong(tx, workspaceId, { emails })
  const planned = members
    .filter(({ email }) => email !== row.authorEmail)
    .map((to) => ({
      to,
      message: MentionToSend,
      payload: { personId: to.subjectId, commentId: row.id },
    }))
  await planMails(ctx, tx, workspaceId, planned)
}

interface OneComment extends Reader {
  commentId: string
}

async function lockComment(tx: Tx, { workspaceId, commentId }: OneComment) {
  const found = isUuid(commentId) ? await store.lockComment(tx, workspaceId, commentId) : undefined
  if (!found) throw notFound('comment', commentId)
  return found
}

function notYours({ authorEmail }: store.CommentRow): AppError {
  const who = authorEmail ?? 'somebody else'
  return new AppError(
    'forbidden',
    'not-your-comment',
    `The comment is of ${who}; it stays as it is.`,
  )
}

export async function changeComment(
  ctx: AppContext,
  { text, ...input }: OneComment & { text: string },
) {
  const changed = await ctx.db.transaction().execute(async (tx) => {
    const before = await lockComment(tx, input)
    if (!isAuthor(input.actor, before)) throw notYours(before)
    const row = { ...before, text: text.trim(), editedAt: ctx.now() }
    await store.updateComment(tx, input.workspaceId, row)
    const texts = { before: { text: before.text }, after: { text: row.text } }
    await audit(ctx, tx, { ...input, row, action: 'comment.update', ...texts })
    await tellMentioned(ctx, tx, { ...input, row, told: findMentions(before.text) })
    return row
  })
  return describeOne(ctx, input, changed)
}

/** Owners and admins delete those of others too. `role`: undefined for a key. */
export async function deleteComment(
  ctx: AppContext,
  { role, ...input }: OneComment & { role: Role | undefined },
): Promise<void> {
  await ctx.db.transaction().execute(async (tx) => {
    const row = await lockComment(tx, input)
    const mayDelete =
      isAuthor(input.actor, row) || (role !== undefined && canManageRole(role, 'Admin'))
    if (!mayDelete) throw notYours(row)
    await store.deleteComment(tx, input.workspaceId, row.id)
    await audit(ctx, tx, { ...input, row, action: 'comment.delete', before: { text: row.text } })
  })
}

/**
 * Members that a text addresses: `@` before their e-mail address, as the portal writes it when one is picked. What stands before
 * the sign is not part of another address, and a full stop ends the sentence.
 */
const MENTION = /(?<![\w.@+-])@([\w.+'-]+@[\w-]+(?:\.[\w-]+)*)/g

const MOST = 20

/** The addresses in lower case, each once, the first 20. */
export function findMentions(text: string): string[] {
  const found = Array.from(text.matchAll(MENTION), ([, address = '']) => address.toLowerCase())
  return [...new Set(found)].slice(0, MOST)
}
