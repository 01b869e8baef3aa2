/** What people do about an incident: acknowledge it, look after it, say something. */
import { parseInstant } from '../../../formats/instants.ts'
import type { Actor } from '../../../platform/actor.ts'
import type { AppContext } from '../../../platform/context.ts'
import { announce } from '../../../platform/db/announcements.ts'
import type { Tx } from '../../../platform/db/connect.ts'
import { AppError } from '../../../platform/errors.ts'
import { recordAudit } from '../../audit/index.ts'
import { planMails, requireMember } from '../../discussions/index.ts'
import type { MemberChanged, MemberLeaving } from '../../workspaces/index.ts'
import { getIncident, requireIncident } from '../service.ts'
import type { IncidentPath } from '../store.ts'
import { IncidentAssignmentToSend } from './mails-service.ts'
import * as store from './store.ts'

type Handling = IncidentPath & { actor: Actor }
type Context = Pick<AppContext, 'db' | 'now'>

/** Stops reminders. Only the first acknowledgement is recorded; a note replaces the one before. */
export async function acknowledgeIncident(
  ctx: Context,
  { note, ...input }: Handling & { note?: string },
) {
  const { workspaceId, actor } = input
  return change(ctx, input, async (tx, id) => {
    const by = { ids: [id], acknowledgedAt: ctx.now(), acknowledgedByEmail: actor.email ?? null }
    const isFirst = (await store.acknowledge(tx, workspaceId, by)) > 0
    if (note !== undefined) await writeNote(ctx, tx, { ...input, id, note, isTold: !isFirst })
    if (isFirst)
      await recordAudit(ctx, tx, {
        ...about({ workspaceId, actor, id }),
        action: 'alert-incident.acknowledge',
        ...(note !== undefined && { after: { note } }),
      })
  })
}

interface UndoAcknowledgement extends Handling {
  /** Names the acknowledgement: that of somebody else stays. */
  acknowledgedAt: string
}

export async function undoAcknowledgement(ctx: Context, input: UndoAcknowledgement) {
  const { workspaceId, actor } = input
  const acknowledgedAt = parseInstant(input.acknowledgedAt, '/acknowledgedAt')
  return change(ctx, input, async (tx, id) => {
    const named = { ids: [id], acknowledgedAt, now: ctx.now() }
    if ((await store.deleteAcknowledgements(tx, workspaceId, named)).length === 0)
      throw new AppError(
        'conflict',
        'alert-incident-not-acknowledged',
        'It is not acknowledged since then: somebody took that back or acknowledged it again. Nothing was changed.',
      )
    await recordAudit(ctx, tx, {
      ...about({ workspaceId, actor, id }),
      action: 'alert-incident.unacknowledge',
      before: { acknowledgedAt: input.acknowledgedAt },
    })
  })
}

/** null: nothing is said about it any more. */
export async function noteIncident(ctx: Context, input: Handling & { note: string | null }) {
  return change(ctx, input, (tx, id) => writeNote(ctx, tx, { ...input, id, isTold: true }))
}

interface WriteNote extends Handling {
  id: string
  note: string | null
  /** In an entry of its own of the audit log. */
  isTold: boolean
}

async function writeNote(ctx: Context, tx: Tx, input: WriteNote): Promise<void> {
  const { workspaceId, actor, id, isTold } = input
  const note = input.note === null ? null : input.note.trim()
  const by = { notedAt: ctx.now(), notedByEmail: actor.email ?? null }
  const before = await store.replaceNote(tx, workspaceId, { id, note, ...by })
  if (before === note || !isTold) return
  await recordAudit(ctx, tx, {
    ...about({ workspaceId, actor, id }),
    action: 'alert-incident.note',
    before: { note: before },
    after: { note },
  })
}

/** null: nobody looks after it any more. */
export async function assignIncident(
  ctx: AppContext,
  input: Handling & { subjectId: string | null },
) {
  const { workspaceId, actor, subjectId } = input
  return change(ctx, input, async (tx, id) => {
    const assignee = await requireMember(tx, workspaceId, subjectId)
    const given = { id, assigneeId: subjectId }
    if ((await store.replaceAssignee(tx, workspaceId, given)) === subjectId) return
    await recordAudit(ctx, tx, {
      ...about({ workspaceId, actor, id }),
      action: 'alert-incident.assign',
      after: { assignee: assignee?.email ?? null },
      about: assignee ? [{ type: 'member', id: assignee.subjectId }] : [],
    })
    const byEmail = actor.email ?? null
    if (!assignee || assignee.email === byEmail) return
    const payload = { personId: assignee.subjectId, byEmail, incidentId: id, others: 0 }
    const message = IncidentAssignmentToSend
    await planMails(ctx, tx, workspaceId, [{ to: assignee, message, payload }])
  })
}

/** Gives open incidents that a member looks after to another. */
export async function handOverIncidents(
  ctx: AppContext,
  tx: Tx,
  { workspaceId, personId, toId, actor }: MemberLeaving,
): Promise<void> {
  const moved = await store.moveOpenIncidents(tx, workspaceId, { personId, toId })
  if (moved.length === 0) return
  const assignee = await requireMember(tx, workspaceId, toId)
  for (const id of moved)
    await recordAudit(ctx, tx, {
      ...about({ workspaceId, actor, id }),
      action: 'alert-incident.assign',
      after: { assignee: assignee?.email ?? null },
      about: [{ type: 'member', id: toId }],
    })
}

/** Nobody looks after them any more. */
export async function releaseIncidentsOfMember(
  _ctx: unknown,
  tx: Tx,
  { workspaceId, personId, role }: MemberChanged,
): Promise<void> {
  if (role === null) await store.releaseIncidentsOf(tx, workspaceId, personId)
}

async function change(
  ctx: Context,
  { workspaceId, incidentId }: Handling,
  act: (tx: Tx, id: string) => Promise<void>,
) {
  return ctx.db.transaction().execute(async (tx) => {
    const { id } = await requireIncident(tx, { workspaceId, incidentId })
    await act(tx, id)
    await announce(tx, workspaceId, ['alerts'])
    return getIncident({ db: tx, now: ctx.now }, { workspaceId, incidentId: id })
  })
}

const about = ({ workspaceId, actor, id }: { workspaceId: string; actor: Actor; id: string }) => ({
  workspaceId,
  actor,
  resourceType: 'alert-incident' as const,
  resourceId: id,
})
