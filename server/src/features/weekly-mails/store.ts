import { sql } from 'kysely'
import type { Db, Tx } from '../../platform/db/connect.ts'
import type { Weekly } from '../notifications/index.ts'

interface OfPerson {
  workspaceId: string
  personId: string
}

export interface MyWorkspace {
  workspaceId: string
  workspaceName: string
  weekly: Weekly | null
  proposalMails: boolean
  nextAt: Date | null
  lastSentAt: Date | null
  lastAnswer: string | null
}

/** The workspaces of a person by name, each with the weekly mail that the person wants. */
export async function listMyWorkspaces(db: Db, personId: string): Promise<MyWorkspace[]> {
  const { rows } = await sql<MyWorkspace>`
    select member.workspace_id, workspace.name as workspace_name,
      case when mail.day is not null
        then json_build_object('day', mail.day, 'at', mail.at, 'timeZone', mail.time_zone) end as weekly,
      not exists (select from muted_proposal_mails as muted
        where muted.workspace_id = member.workspace_id and muted.person_id = member.subject_id) as proposal_mails,
      mail.due_at as next_at, mail.sent_at as last_sent_at, mail.answer as last_answer
    from members as member
    join workspaces as workspace on workspace.id = member.workspace_id
    left join weekly_mails as mail
      on mail.workspace_id = member.workspace_id and mail.person_id = member.subject_id
    where member.subject_id = ${personId}
    order by workspace.name, workspace.id`.execute(db)
  return rows
}

/** False: the person is no member. Locks the membership, so that it lasts until the setting is stored. */
export async function lockMembership(
  tx: Tx,
  { workspaceId, personId }: OfPerson,
): Promise<boolean> {
  const found = await tx
    .selectFrom('members')
    .select('subjectId')
    .where('workspaceId', '=', workspaceId)
    .where('subjectId', '=', personId)
    .forShare()
    .executeTakeFirst()
  return found !== undefined
}

export async function findWeekly(
  tx: Tx,
  { workspaceId, personId }: OfPerson,
): Promise<Weekly | null> {
  const row = await tx
    .selectFrom('weeklyMails')
    .select(['day', 'at', 'timeZone'])
    .where('workspaceId', '=', workspaceId)
    .where('personId', '=', personId)
    .forUpdate()
    .executeTakeFirst()
  return (row as Weekly | undefined) ?? null
}

/** A mail that is being sent stays claimed. */
export async function writeWeekly(
  tx: Tx,
  mail: OfPerson & { weekly: Weekly; dueAt: Date },
): Promise<void> {
  const { workspaceId, personId, weekly, dueAt } = mail
  const row = { ...weekly, dueAt }
  await tx
    .insertInto('weeklyMails')
    .values({ workspaceId, personId, ...row })
    .onConflict((conflict) => conflict.columns(['workspaceId', 'personId']).doUpdateSet(row))
    .execute()
}

export async function deleteWeekly(tx: Tx, { workspaceId, personId }: OfPerson): Promise<void> {
  await tx
    .deleteFrom('weeklyMails')
    .where('workspaceId', '=', workspaceId)
    .where('personId', '=', personId)
    .execute()
}

/** Answers whether that is a change. */
export async function updateProposalMails(
  tx: Tx,
  { workspaceId, personId, isMuted }: OfPerson & { isMuted: boolean },
): Promise<boolean> {
  const of = { workspaceId, personId }
  if (!isMuted) {
    const { numDeletedRows } = await tx
      .deleteFrom('mutedProposalMails')
      .where('workspaceId', '=', workspaceId)
      .where('personId', '=', personId)
      .executeTakeFirst()
    return numDeletedRows > 0n
  }
  const { numInsertedOrUpdatedRows = 0n } = await tx
    .insertInto('mutedProposalMails')
    .values(of)
    .onConflict((conflict) => conflict.doNothing())
    .executeTakeFirst()
  return numInsertedOrUpdatedRows > 0n
}

export interface DueMail extends OfPerson {
  dueAt: Date
}

/** Mails that are due and that nobody sends now; those of one workspace and one time together. */
export async function listDueMails(
  db: Db,
  { now, limit }: { now: Date; limit: number },
): Promise<DueMail[]> {
  return db
    .selectFrom('weeklyMails')
    .select(['workspaceId', 'personId', 'dueAt'])
    .where('dueAt', '<=', now)
    .where((eb) => eb.or([eb('claimedUntil', 'is', null), eb('claimedUntil', '<=', now)]))
    .orderBy('dueAt')
    .orderBy('workspaceId')
    .orderBy('personId')
    .limit(limit)
    .execute()
}

export interface ClaimedMail extends DueMail {
  weekly: Weekly
  email: string
  workspaceName: string
  attempts: number
}

/** undefined: another worker has it, or it was sent, changed or ended meanwhile. */
export async function claimMail(
  db: Db,
  { workspaceId, personId, dueAt }: DueMail,
  { now, until }: { now: Date; until: Date },
): Promise<ClaimedMail | undefined> {
  const { rows } = await sql<Omit<ClaimedMail, 'weekly'> & Weekly>`
    update weekly_mails as mail
    set claimed_until = ${until}, attempts = mail.attempts + 1
    from people as person, workspaces as workspace
    where mail.workspace_id = ${workspaceId} and mail.person_id = ${personId} and mail.due_at = ${dueAt}
      and (mail.claimed_until is null or mail.claimed_until <= ${now})
      and person.id = mail.person_id and workspace.id = mail.workspace_id
    returning mail.workspace_id, mail.person_id, mail.due_at, mail.attempts, person.email,
      workspace.name as workspace_name, mail.day, mail.at, mail.time_zone`.execute(db)
  const [row] = rows
  if (!row) return undefined
  const { day, at, timeZone, ...claimed } = row
  return { ...claimed, weekly: { day, at, timeZone } }
}

/** The mail is over: the next one is due in a week. A setting that was changed meanwhile has another time already. */
export async function recordEnd(
  db: Db,
  { workspaceId, personId, dueAt }: DueMail,
  ended: { nextAt: Date; sentAt: Date | undefined; answer: string },
): Promise<void> {
  const { nextAt, sentAt, answer } = ended
  await sql`
    update weekly_mails
    set due_at = case when due_at = ${dueAt} then ${nextAt} else due_at end, claimed_until = null, attempts = 0,
      answer = ${answer}, sent_at = coalesce(${sentAt ?? null}::timestamptz, sent_at)
    where workspace_id = ${workspaceId} and person_id = ${personId}`.execute(db)
}

/** Nobody sends it before. */
export async function recordDelay(
  db: Db,
  { workspaceId, personId, dueAt }: DueMail,
  { until, answer }: { until: Date; answer: string },
): Promise<void> {
  await db
    .updateTable('weeklyMails')
    .set({ claimedUntil: until, answer })
    .where('workspaceId', '=', workspaceId)
    .where('personId', '=', personId)
    .where('dueAt', '=', dueAt)
    .execute()
}

export interface DecisionOfWeek {
  cveId: string
  /** `Ignored`, `Unignored`, or the assessment. */
  decision: string
  by: string | null
  firmwareVersionCount: number
  /** The number of all rows. */
  total: number
}

/** What people, keys and VEX documents decided in the week, the newest first. */
export async function listDecisionsOfWeek(
  db: Db,
  workspaceId: string,
  { since, until, limit }: { since: Date; until: Date; limit: number },
): Promise<DecisionOfWeek[]> {
  const { rows } = await sql<DecisionOfWeek>`
    select vulnerability_id as cve_id, case when type = 'Assessment' then assessment else type end as decision,
      created_by_email as by, count(distinct firmware_version_id)::int as firmware_version_count,
      count(*) over ()::int as total
    from finding_timeline
    where workspace_id = ${workspaceId} and created_at >= ${since} and created_at < ${until}
      and source in ('User', 'ApiKey', 'Vex')
    group by vulnerability_id, case when type = 'Assessment' then assessment else type end, created_by_email
    order by max(created_at) desc, vulnerability_id desc
    limit ${limit}`.execute(db)
  return rows
}
