/**
 * Tells owners of findings that began to fire: one mail a member a run, however many there are. What is to be told is a row of the
 * transaction that evaluates the rule, so a process that is killed loses nothing; the rows go in the transaction that plans the mails.
 */
import { type Static, Type } from 'typebox'
import { formatCountOf } from '../../../formats/counts.ts'
import { decodeFindingId } from '../../../formats/finding-id.ts'
import { addMs, MINUTE_MS, SECOND_MS } from '../../../formats/instants.ts'
import { formatPortalPath } from '../../../formats/portal-pages.ts'
import type { AppContext } from '../../../platform/context.ts'
import type { Tx } from '../../../platform/db/connect.ts'
import { newId } from '../../../platform/ids.ts'
import { defineMessage } from '../../../platform/jobs/queue.ts'
import { writeLetter } from '../../../platform/mail/letter.ts'
import { type LetterOfColleague, sendToMember } from '../../discussions/index.ts'
import { takeMails } from '../../mails/index.ts'
import { listOwningMembers } from '../../owners/index.ts'
import { listMembers } from '../../workspaces/index.ts'
import { notifyOfUnowned } from '../notices/service.ts'
import * as store from './store.ts'

/** Evaluations of one run follow each other within this time. */
const QUIET_MS = 20 * SECOND_MS
const LONGEST_WAIT_MS = 5 * MINUTE_MS
/** As many as a rule may have firing; what is left is told in the next run. */
const MOST_TOLD = 20_000
/** In a mail. */
const MOST_NAMED = 20

export const FindingOwnerMail = defineMessage(
  'finding-owner-mail',
  Type.Object({
    workspaceId: Type.String(),
    personId: Type.String(),
    mailId: Type.String(),
    count: Type.Integer(),
    lines: Type.Array(Type.String()),
  }),
)

export async function tellFindingOwners(ctx: AppContext): Promise<void> {
  const now = ctx.now()
  const waits = { quietSince: addMs(now, -QUIET_MS), longSince: addMs(now, -LONGEST_WAIT_MS) }
  for (const workspaceId of await store.listWaitingWorkspaces(ctx.db, waits)) {
    try {
      await ctx.db.transaction().execute((tx) => tellWorkspace(ctx, tx, workspaceId))
    } catch (error) {
      // The failure of one workspace does not stop the others; the schedule tries again.
      ctx.log.error({ err: error, workspaceId }, 'telling the owners of findings failed')
    }
  }
}

interface OwnedNotice extends store.OwnerNotice {
  /** Members who are yet to be told. Nobody: it has no owner. */
  waitingIds: string[]
}

async function tellWorkspace(ctx: AppContext, tx: Tx, workspaceId: string): Promise<void> {
  await store.deleteEnded(tx, workspaceId)
  const limits = { now: ctx.now(), limit: MOST_TOLD }
  const notices = await store.lockNotices(tx, workspaceId, limits)
  if (notices.length === 0) return
  const members = await listMembers(tx, workspaceId)
  const emails = new Map(members.map(({ subjectId, email }) => [subjectId, email]))
  const findings = notices.map(({ series }) => decodeFindingId(series))
  const owning = await listOwningMembers(tx, { workspaceId, findings })
  const owned = notices.map((notice, place): OwnedNotice => {
    const owners = (owning[place] ?? []).filter((id) => emails.has(id))
    return { ...notice, waitingIds: owners.filter((id) => !notice.toldIds.includes(id)) }
  })
  const unowned = owned.filter(
    ({ waitingIds, toldIds }) => waitingIds.length + toldIds.length === 0,
  )
  await notifyOfUnowned(ctx, tx, { workspaceId, series: groupByIncident(unowned) })
  const toldIds = await mailOwners(ctx, tx, { workspaceId, owned, emails })
  const waiting = owned.flatMap(({ waitingIds, ...notice }) =>
    waitingIds.every((id) => toldIds.has(id))
      ? []
      : [
          {
            ...notice,
            toldIds: [...notice.toldIds, ...waitingIds.filter((id) => toldIds.has(id))],
          },
        ],
  )
  const left = new Set(waiting.map(({ ruleId, series }) => `${ruleId} ${series}`))
  const done = owned.filter(({ ruleId, series }) => !left.has(`${ruleId} ${series}`))
  await store.deleteNotices(tx, workspaceId, done)
  await store.recordTold(tx, workspaceId, waiting)
}

function groupByIncident(notices: readonly store.OwnerNotice[]) {
  const shown = notices.map(({ since, ...notice }) => ({ ...notice, since: since.toISOString() }))
  return Map.groupBy(shown, ({ incidentId }) => incidentId)
}

interface OwnerMails {
  workspaceId: string
  owned: readonly OwnedNotice[]
  /** Of all members, by their ids. */
  emails: ReadonlyMap<string, string>
}

/** Plans a mail to each. Answers who needs no other: over the bound of mails, the next run tries again. */
async function mailOwners(
  ctx: AppContext,
  tx: Tx,
  { workspaceId, owned, emails }: OwnerMails,
): Promise<Set<string>> {
  const toldIds = new Set<string>()
  const ids = [...new Set(owned.flatMap(({ waitingIds }) => waitingIds))].toSorted()
  for (const personId of ids) {
    const addresses = [emails.get(personId) ?? '']
    if (ctx.mailer) {
      if (await takeMails(ctx, tx, { kind: 'Colleague', workspaceId, addresses })) continue
      const theirs = owned.filter(({ waitingIds }) => waitingIds.includes(personId))
      const mail = { workspaceId, personId, mailId: newId(), ...describeNotices(theirs) }
      await ctx.queue.enqueue(tx, FindingOwnerMail, mail)
    }
    toldIds.add(personId)
  }
  return toldIds
}

/** A finding of several rules is one finding. */
function describeNotices(notices: readonly store.OwnerNotice[]) {
  const bySeries = Map.groupBy(notices, ({ series }) => series)
  const named = [...bySeries.values()].slice(0, MOST_NAMED)
  const lines = named.map((same) => {
    const rules = same.map(({ ruleName }) => ruleName).toSorted()
    return `${same[0]?.label ?? ''}: ${rules.join(', ')}`
  })
  const more = bySeries.size - named.length
  return {
    count: bySeries.size,
    lines: [...lines, ...(more > 0 ? [`… and ${formatCountOf(more, 'other')}.`] : [])],
  }
}

/** A job. */
export async function sendFindingOwnerMail(
  ctx: AppContext,
  { workspaceId, personId, mailId, count, lines }: Static<(typeof FindingOwnerMail)['payload']>,
  signal: AbortSignal,
): Promise<void> {
  const write = (about: LetterOfColleague) => writeOwnerLetter(about, { personId, count, lines })
  await sendToMember(ctx, { workspaceId, personId, mailId, byEmail: null, write }, signal)
}

interface ToldFindings {
  personId: string
  count: number
  lines: readonly string[]
}

function writeOwnerLetter(
  { publicUrl, workspaceId, workspaceName }: LetterOfColleague,
  { personId, count, lines }: ToldFindings,
) {
  const [is, them] = count === 1 ? ['is', 'it'] : ['are', 'them']
  const title = `${formatCountOf(count, 'new finding')} ${is} yours`
  const path = formatPortalPath('overview', { workspaceId })
  return writeLetter({
    subject: `${title} in ${workspaceName}`,
    before: [`${title}, and alert rules ask to tell you of ${them}.`, ...lines],
    link: {
      label: 'Open what is yours',
      url: `${publicUrl}${path}/findings?assignee=${personId}`,
    },
    after: [
      `You get this mail because an owner rule, your team or an assignment gives you ${them} in the workspace "${workspaceName}" of Plimsoll.`,
    ],
  })
}
