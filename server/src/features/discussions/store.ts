/** Assignees and comments of vulnerabilities. An id that was handed out before vulnerabilities were united leads to them still. */
import { type RawBuilder, sql } from 'kysely'
import type { Actor } from '../../platform/actor.ts'
import type { Db, Tx } from '../../platform/db/connect.ts'

export interface Person {
  subjectId: string
  email: string
  displayName: string
}

export interface Discussion {
  assignee: Person | null
  assignedAt: Date | null
  assignedByEmail: string | null
  commentCount: number
}

/** `alias` and `stored`: what the workspace keeps in the table under any id of the vulnerability. */
const keptUnder = (table: string, workspaceId: string, id: RawBuilder<unknown>) => sql`
  from vulnerability_aliases as alias
  join ${sql.table(table)} as stored on stored.workspace_id = ${workspaceId} and stored.vulnerability_id = alias.alias
  where alias.vulnerability_id = ${id}`

/** By the id of the vulnerability, as it is known now. */
export async function readDiscussions(
  db: Db,
  workspaceId: string,
  vulnerabilityIds: readonly string[],
): Promise<Map<string, Discussion>> {
  const id = sql`asked.id`
  const { rows } = await sql<Discussion & { id: string }>`
    select asked.id, newest.assignee, newest.assigned_at, newest.assigned_by_email, counted.comment_count
    from unnest(${[...new Set(vulnerabilityIds)]}::text[]) as asked (id)
    left join lateral (
      select stored.assigned_at, stored.assigned_by_email,
        (select json_build_object('subjectId', person.id, 'email', person.email, 'displayName', person.display_name)
          from people as person where person.id = stored.person_id) as assignee
      ${keptUnder('vulnerability_assignees', workspaceId, id)}
      order by stored.assigned_at desc limit 1
    ) as newest on true
    cross join lateral (
      select count(*)::int as comment_count ${keptUnder('vulnerability_comments', workspaceId, id)}
    ) as counted`.execute(db)
  return new Map(rows.map(({ id: found, ...discussion }) => [found, discussion]))
}

export interface AssigneeFilter {
  assigneeIds?: readonly string[]
  assigned?: boolean
}

/** What the filter asks of the members who look after vulnerabilities. */
export function listAssigneeConditions(
  id: RawBuilder<unknown>,
  { workspaceId, filter }: { workspaceId: string; filter: AssigneeFilter },
): RawBuilder<unknown>[] {
  const { assigneeIds, assigned } = filter
  const assignedTo = (condition: RawBuilder<unknown>) => sql`(
    select alias.vulnerability_id from vulnerability_assignees as given
    join vulnerability_aliases as alias on alias.alias = given.vulnerability_id
    where given.workspace_id = ${workspaceId} and ${condition})`
  const byMember = assigneeIds && sql`given.person_id::text = any(${assigneeIds}::text[])`
  return [
    ...(byMember ? [sql`${id} in ${assignedTo(byMember)}`] : []),
    ...(assigned === undefined
      ? []
      : [sql`${id} ${assigned ? sql`` : sql`not`} in ${assignedTo(sql`true`)}`]),
  ]
}

/** Assignments of the workspace follow each other, so that each knows what it replaces. */
export async function lockAssignees(tx: Tx, workspaceId: string): Promise<void> {
  await sql`select pg_advisory_xact_lock(hashtext('assignees'), hashtext(${workspaceId}))`.execute(
    tx,
  )
}

/** What a member looks after, each as it is known by now. */
export async function listAssignedIds(
  db: Db,
  workspaceId: string,
  personId: string,
): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    select distinct alias.vulnerability_id as id from vulnerability_assignees as given
    join vulnerability_aliases as alias on alias.alias = given.vulnerability_id
    where given.workspace_id = ${workspaceId} and given.person_id = ${personId}
    order by id`.execute(db)
  return rows.map(({ id }) => id)
}

export interface AssigneeChange {
  vulnerabilityIds: readonly string[]
  /** null: nobody. */
  personId: string | null
  at: Date
  byEmail: string | null
}

export async function replaceAssignees(
  tx: Tx,
  workspaceId: string,
  { vulnerabilityIds, personId, at, byEmail }: AssigneeChange,
): Promise<void> {
  await sql`
    delete from vulnerability_assignees where workspace_id = ${workspaceId} and vulnerability_id in (
      select alias from vulnerability_aliases where vulnerability_id = any(${vulnerabilityIds}::text[]))`.execute(
    tx,
  )
  if (personId === null) return
  await sql`
    insert into vulnerability_assignees (workspace_id, vulnerability_id, person_id, assigned_at, assigned_by_email)
    select ${workspaceId}, id, ${personId}, ${at}, ${byEmail} from unnest(${vulnerabilityIds}::text[]) as given (id)
    order by id`.execute(tx)
}

export interface CommentRow {
  id: string
  vulnerabilityId: string
  text: string
  createdAt: Date
  authorType: 'User' | 'ApiKey'
  authorId: string
  authorEmail: string | null
  editedAt: Date | null
}

export async function insertComment(tx: Tx, workspaceId: string, row: CommentRow): Promise<void> {
  await tx
    .insertInto('vulnerabilityComments')
    .values({ workspaceId, ...row })
    .execute()
}

export async function countComments(
  db: Db,
  workspaceId: string,
  vulnerabilityId: string,
): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*)::int as count
    ${keptUnder('vulnerability_comments', workspaceId, sql`${vulnerabilityId}`)}`.execute(db)
  return rows[0]?.count ?? 0
}

interface CommentsAsked {
  /** undefined: of all vulnerabilities. */
  vulnerabilityId: string | undefined
  limit: number
  after: { createdAt: string; id: string } | undefined
}

/** The newest first. */
export async function listComments(
  db: Db,
  workspaceId: string,
  { vulnerabilityId, limit, after }: CommentsAsked,
): Promise<CommentRow[]> {
  let query = db
    .selectFrom('vulnerabilityComments as comment')
    .selectAll()
    .where('workspaceId', '=', workspaceId)
    .$narrowType<Pick<CommentRow, 'authorType'>>()
  if (vulnerabilityId !== undefined)
    query = query.where(
      sql<boolean>`comment.vulnerability_id in (
        select alias from vulnerability_aliases where vulnerability_id = ${vulnerabilityId})`,
    )
  if (after)
    query = query.where(
      sql<boolean>`(comment.created_at, comment.id) < (${after.createdAt}::timestamptz, ${after.id}::uuid)`,
    )
  return query.orderBy('createdAt', 'desc').orderBy('id', 'desc').limit(limit).execute()
}

const oneComment = (db: Db, workspaceId: string, id: string) =>
  db
    .selectFrom('vulnerabilityComments')
    .selectAll()
    .where('workspaceId', '=', workspaceId)
    .where('id', '=', id)
    .$narrowType<Pick<CommentRow, 'authorType'>>()

export async function findComment(
  db: Db,
  workspaceId: string,
  id: string,
): Promise<CommentRow | undefined> {
  return oneComment(db, workspaceId, id).executeTakeFirst()
}

export async function lockComment(
  tx: Tx,
  workspaceId: string,
  id: string,
): Promise<CommentRow | undefined> {
  return oneComment(tx, workspaceId, id).forUpdate().executeTakeFirst()
}

export async function updateComment(
  tx: Tx,
  workspaceId: string,
  { id, text, editedAt }: Pick<CommentRow, 'id' | 'text' | 'editedAt'>,
): Promise<void> {
  await tx
    .updateTable('vulnerabilityComments')
    .set({ text, editedAt })
    .where('workspaceId', '=', workspaceId)
    .where('id', '=', id)
    .execute()
}

export async function deleteComment(tx: Tx, workspaceId: string, id: string): Promise<void> {
  await tx
    .deleteFrom('vulnerabilityComments')
    .where('workspaceId', '=', workspaceId)
    .where('id', '=', id)
    .execute()
}

/** The member who acts: a key acts for whoever made it. undefined: nobody of the workspace. */
export async function findMemberOf(
  db: Db,
  workspaceId: string,
  { type, id = '', email }: Actor,
): Promise<string | undefined> {
  const asked = type === 'User' ? { ids: [id] } : { emails: email ? [email] : [] }
  const [member] = await listMembersAmong(db, workspaceId, asked)
  return member?.subjectId
}

/** Members of the workspace with these addresses or ids. Nobody else is looked up. */
export async function listMembersAmong(
  db: Db,
  workspaceId: string,
  { emails = [], ids = [] }: { emails?: readonly string[]; ids?: readonly string[] },
): Promise<Person[]> {
  if (emails.length + ids.length === 0) return []
  return db
    .selectFrom('members as member')
    .innerJoin('people as person', 'person.id', 'member.subjectId')
    .select(['member.subjectId', 'person.email', 'person.displayName'])
    .where('member.workspaceId', '=', workspaceId)
    .where(sql<boolean>`(person.email = any(${emails}::text[]) or person.id = any(${ids}::uuid[]))`)
    .execute()
}
