/** What people do about many incidents at once; each command is one batch, which can be taken back as a whole. */
import { formatCountOf } from '../../../formats/counts.ts'
import { addDays } from '../../../formats/instants.ts'
import type { Actor } from '../../../platform/actor.ts'
import type { AppContext } from '../../../platform/context.ts'
import { announce } from '../../../platform/db/announcements.ts'
import type { Tx } from '../../../platform/db/connect.ts'
import { runPreview } from '../../../platform/db/preview.ts'
import { refuseUndone, updateUndone } from '../../../platform/db/undone-store.ts'
import { AppError, invalid, notFound } from '../../../platform/errors.ts'
import { isUuid, newId } from '../../../platform/ids.ts'
import { recordAudit } from '../../audit/index.ts'
import { planMails, requireMember } from '../../discussions/index.ts'
import { IncidentAssignmentToSend } from '../handling/mails-service.ts'
import { acknowledge, deleteAcknowledgements } from '../handling/store.ts'
import { type AskedFilter, readFilter } from '../service.ts'
import { endSilences, type NewSilenceInput, silenceIncidents } from '../silences/service.ts'
import { type LockedIncident, lockIncidents } from '../store.ts'
import { MOST_INCIDENTS } from './schemas.ts'
import * as store from './store.ts'

/** Whoever takes something back later does not remember what it was. */
const KEPT_DAYS = 7

interface Handle {
  workspaceId: string
  actor: Actor
  alertIncidentIds?: string[]
  filter?: AskedFilter
  acknowledge?: { note?: string }
  assign?: { subjectId: string | null }
  silence?: NewSilenceInput
  dryRun?: boolean
  expectedChanged?: number
}

type Context = Pick<AppContext, 'db' | 'now'>

interface Command {
  workspaceId: string
  actor: Actor
  /** The instant of the batch: what it wrote is known by it again. */
  at: Date
  /** Those that it changes. */
  incidents: readonly LockedIncident[]
}

interface Act {
  action: `alert-incident.bulk-${'acknowledge' | 'assign' | 'silence'}`
  isMeant: (incident: LockedIncident) => boolean
  /** Answers with what it did, and what the audit log says. */
  run: (
    tx: Tx,
    command: Command,
  ) => Promise<{ changes: store.Changes; after: object; members?: readonly string[] }>
}

export async function handleIncidents(ctx: AppContext, input: Handle) {
  const { workspaceId, actor, dryRun = false, expectedChanged } = input
  const act = chooseAct(ctx, input)
  const filter = readSelection(input)
  return runPreview(ctx, dryRun, async (tx) => {
    const selected = await lockIncidents(tx, workspaceId, { filter, limit: MOST_INCIDENTS + 1 })
    if (selected.length > MOST_INCIDENTS)
      throw invalid(`The filter selects more than ${MOST_INCIDENTS} incidents.`, '/filter')
    const incidents = selected.filter(act.isMeant)
    const counts = { matched: selected.length, changed: incidents.length }
    refuseOthers(counts.changed, expectedChanged)
    const at = ctx.now()
    const {
      changes,
      after,
      members = [],
    } = await act.run(tx, { workspaceId, actor, at, incidents })
    if (incidents.length === 0 || dryRun) return { ...counts, alertIncidentBatchId: null }
    const batch = { workspaceId, id: newId(), createdAt: at, changes }
    await store.deleteBatchesBefore(tx, workspaceId, addDays(batch.createdAt, -KEPT_DAYS))
    await store.insertBatch(tx, { ...batch, createdByEmail: actor.email ?? null })
    await recordAudit(ctx, tx, {
      ...entryOf({ workspaceId, actor, batchId: batch.id }),
      action: act.action,
      after: { ...counts, ...after },
      about: [
        ...incidents.map(({ id }) => ({ type: 'alert-incident' as const, id })),
        ...members.map((id) => ({ type: 'member' as const, id })),
      ],
    })
    await announce(tx, workspaceId, ['alerts'])
    return { ...counts, alertIncidentBatchId: batch.id }
  })
}

const entryOf = (of: { workspaceId: string; actor: Actor; batchId: string }) => ({
  workspaceId: of.workspaceId,
  actor: of.actor,
  resourceType: 'alert-incident-batch' as const,
  resourceId: of.batchId,
})

function readSelection({ alertIncidentIds: ids, filter }: Handle) {
  if ((ids === undefined) === (filter === undefined))
    throw invalid(
      'State either alertIncidentIds or a filter.',
      ids ? '/filter' : '/alertIncidentIds',
    )
  // A text that is not a UUID cannot be the id of an incident.
  return ids ? { incidentIds: ids.filter(isUuid) } : readFilter(filter ?? {})
}

function refuseOthers(changed: number, expected: number | undefined): void {
  if (expected === undefined || expected === changed) return
  throw new AppError(
    'conflict',
    'alert-incidents-changed',
    `It would change ${formatCountOf(changed, 'incident')} now, not ${expected}; nothing was changed.`,
  )
}

function chooseAct(ctx: AppContext, input: Handle): Act {
  const { acknowledge: acknowledgement, assign, silence } = input
  const [act, ...more] = [
    ...(acknowledgement ? [defineAcknowledge(acknowledgement)] : []),
    ...(assign ? [defineAssign(ctx, assign)] : []),
    ...(silence ? [defineSilence(ctx, silence)] : []),
  ]
  if (!act || more.length > 0)
    throw invalid('State one of acknowledge, assign and silence.', '/acknowledge')
  return act
}

function defineAcknowledge(asked: { note?: string }): Act {
  const note = asked.note?.trim()
  return {
    action: 'alert-incident.bulk-acknowledge',
    isMeant: ({ endedAt, acknowledgedAt }) => endedAt === null && acknowledgedAt === null,
    run: async (tx, { workspaceId, actor, at, incidents }) => {
      const ids = incidents.map(({ id }) => id)
      const email = actor.email ?? null
      await acknowledge(tx, workspaceId, { ids, acknowledgedAt: at, acknowledgedByEmail: email })
      if (note === undefined)
        return { changes: { acknowledged: { incidentIds: ids, notes: [] } }, after: {} }
      await store.writeNotes(tx, workspaceId, { ids, note, notedAt: at, notedByEmail: email })
      const notes = incidents.map(({ id, note: before, notedAt, notedByEmail }) => ({
        incidentId: id,
        note: before,
        notedAt: notedAt?.toISOString() ?? null,
        notedByEmail,
      }))
      return { changes: { acknowledged: { incidentIds: ids, notes } }, after: { note } }
    },
  }
}

function defineAssign(ctx: AppContext, { subjectId }: { subjectId: string | null }): Act {
  return {
    action: 'alert-incident.bulk-assign',
    isMeant: ({ assigneeId }) => assigneeId !== subjectId,
    run: async (tx, { workspaceId, actor, incidents }) => {
      const to = await requireMember(tx, workspaceId, subjectId)
      const [first, ...others] = incidents.map(({ id }) => id)
      if (first !== undefined) {
        const ids = [first, ...others]
        await store.assign(tx, workspaceId, { ids, assigneeId: subjectId })
        const byEmail = actor.email ?? null
        const payload = { byEmail, incidentId: first, others: others.length }
        if (to && to.email !== byEmail)
          await planMails(ctx, tx, workspaceId, [
            {
              to,
              message: IncidentAssignmentToSend,
              payload: { ...payload, personId: to.subjectId },
            },
          ])
      }
      const changed = incidents.map(({ id, assigneeId }) => ({
        incidentId: id,
        before: assigneeId,
      }))
      return {
        changes: { assigned: { to: subjectId, incidents: changed } },
        after: { assignee: to?.email ?? null },
        members: to ? [to.subjectId] : [],
      }
    },
  }
}

function defineSilence(ctx: Context, asked: NewSilenceInput): Act {
  return {
    action: 'alert-incident.bulk-silence',
    isMeant: ({ endedAt }) => endedAt === null,
    run: async (tx, { workspaceId, actor, incidents }) => {
      const { silenceIds, ...after } = await silenceIncidents(ctx, tx, {
        workspaceId,
        actor,
        incidents,
        asked,
      })
      return { changes: { silenceIds }, after }
    },
  }
}

interface Undo {
  workspaceId: string
  alertIncidentBatchId: string
  actor: Actor
}

export async function undoIncidentBatch(ctx: Context, undo: Undo) {
  const { workspaceId, alertIncidentBatchId: id, actor } = undo
  const named = { workspaceId, id }
  return ctx.db.transaction().execute(async (tx) => {
    const batch = isUuid(id) ? await store.lockBatch(tx, named) : undefined
    if (!batch) throw notFound('alert incident batch', id)
    refuseUndone(batch, 'alert-incident-batch-undone')
    const answer = await restore(ctx, tx, { workspaceId, actor, ...batch })
    const undone = { undoneAt: ctx.now(), undoneByEmail: actor.email ?? null }
    await updateUndone(tx, 'alertIncidentBatches', named, undone)
    await recordAudit(ctx, tx, {
      ...entryOf({ workspaceId, actor, batchId: id }),
      action: 'alert-incident-batch.undo',
      after: { act: nameAct(batch.changes), ...answer },
    })
    await announce(tx, workspaceId, ['alerts'])
    return answer
  })
}

interface Restore {
  workspaceId: string
  actor: Actor
  createdAt: Date
  changes: store.Changes
}

async function restore(ctx: Context, tx: Tx, { workspaceId, actor, createdAt, changes }: Restore) {
  const { acknowledged, assigned, silenceIds } = changes
  const count = (all: number, restored: number) => ({ restored, left: all - restored })
  if (acknowledged) {
    const { incidentIds: ids, notes } = acknowledged
    const named = { ids, acknowledgedAt: createdAt, now: ctx.now() }
    const restored = new Set(await deleteAcknowledgements(tx, workspaceId, named))
    const back = notes.filter(({ incidentId }) => restored.has(incidentId))
    await store.restoreNotes(tx, workspaceId, { notes: back, writtenAt: createdAt })
    return count(ids.length, restored.size)
  }
  if (assigned)
    return count(assigned.incidents.length, await store.restoreAssignees(tx, workspaceId, assigned))
  const ids = silenceIds ?? []
  return count(ids.length, await endSilences(ctx, tx, { workspaceId, ids, actor }))
}

function nameAct({ acknowledged, assigned }: store.Changes) {
  if (acknowledged) return 'Acknowledge'
  return assigned ? 'Assign' : 'Silence'
}
