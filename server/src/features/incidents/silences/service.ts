/** Silences: for a time, a rule tells nobody of what is firing. It still records. */
import { addDays, parseInstant } from '../../../formats/instants.ts'
import type { Actor } from '../../../platform/actor.ts'
import type { AppContext } from '../../../platform/context.ts'
import { announce } from '../../../platform/db/announcements.ts'
import type { Tx } from '../../../platform/db/connect.ts'
import { AppError, invalid, notFound } from '../../../platform/errors.ts'
import { openPage, type PageRequested } from '../../../platform/http/paging.ts'
import { isUuid, newId } from '../../../platform/ids.ts'
import { recordAudit } from '../../audit/index.ts'
import { requireIncident } from '../service.ts'
import { MOST_DAYS } from './schemas.ts'
import * as store from './store.ts'

export interface NewSilenceInput {
  until: string
  reason: string
  covers?: store.Covers
}

interface Silence {
  workspaceId: string
  actor: Actor
  incidents: readonly { id: string; ruleId: string }[]
  asked: NewSilenceInput
}

/** Makes one silence for each incident, and records them in the audit log. */
export async function silenceIncidents(
  { now: clock }: Pick<AppContext, 'now'>,
  tx: Tx,
  { workspaceId, actor, incidents, asked }: Silence,
) {
  const now = clock()
  const until = parseEnd(asked.until, now)
  const { covers = 'Series', reason } = asked
  const silences = incidents.map(({ id, ruleId }) => ({
    id: newId(),
    ruleId,
    incidentId: id,
    covers,
    reason: reason.trim(),
    createdAt: now,
    createdByEmail: actor.email ?? null,
    until,
  }))
  await store.insertSilences(tx, workspaceId, silences)
  const incidentIds = incidents.map(({ id }) => id)
  await store.holdSilenced(tx, workspaceId, { incidentIds, now })
  const silenceIds = silences.map(({ id }) => id)
  return { silenceIds, until: until.toISOString(), covers, reason }
}

interface SilenceIncident extends NewSilenceInput {
  workspaceId: string
  incidentId: string
  actor: Actor
}

export async function silenceIncident(
  ctx: Pick<AppContext, 'db' | 'now'>,
  { workspaceId, incidentId, actor, ...asked }: SilenceIncident,
) {
  return ctx.db.transaction().execute(async (tx) => {
    const incident = await requireIncident(tx, { workspaceId, incidentId })
    const command = { workspaceId, actor, incidents: [incident], asked }
    const { silenceIds, ...after } = await silenceIncidents(ctx, tx, command)
    await announce(tx, workspaceId, ['alerts'])
    await recordAudit(ctx, tx, {
      workspaceId,
      actor,
      action: 'alert-incident.silence',
      resourceType: 'alert-incident',
      resourceId: incidentId,
      after,
    })
    return getSilence({ db: tx, now: ctx.now }, workspaceId, silenceIds[0] ?? '')
  })
}

function parseEnd(text: string, now: Date): Date {
  const until = parseInstant(text, '/until')
  if (until <= now) throw invalid('until is not in the future.', '/until')
  if (until > addDays(now, MOST_DAYS))
    throw invalid(`A silence lasts at most ${MOST_DAYS} days.`, '/until')
  return until
}

async function getSilence(
  { db, now }: Pick<AppContext, 'db' | 'now'>,
  workspaceId: string,
  id: string,
) {
  const row = isUuid(id) ? await store.findSilence(db, workspaceId, id) : undefined
  if (!row) throw notFound('alert silence', id)
  return toResponse(row, now())
}

function toResponse({ ruleId, ruleName, incidentId, ...silence }: store.SilenceRow, now: Date) {
  return {
    ...silence,
    alertRule: { id: ruleId, name: ruleName },
    alertIncidentId: incidentId,
    isActive: silence.endedAt === null && silence.until > now,
  }
}

type ListSilences = PageRequested & {
  workspaceId: string
  isActive?: 'true' | 'false'
  alertIncidentId?: string
}

export async function listSilences(
  ctx: Pick<AppContext, 'db' | 'now' | 'signingKey'>,
  { workspaceId, isActive, alertIncidentId: incidentId, ...page }: ListSilences,
) {
  const now = ctx.now()
  const scope = ['alert-silences', workspaceId, isActive, incidentId]
  const { after, rowLimit, cut } = openPage(ctx, scope, page)
  const isNobody = incidentId !== undefined && !isUuid(incidentId)
  const rows = isNobody
    ? []
    : await store.listSilences(ctx.db, workspaceId, {
        now,
        isActive: isActive === undefined ? undefined : isActive === 'true',
        incidentId,
        after: after && { createdAt: String(after[0]), id: String(after[1]) },
        limit: rowLimit,
      })
  const { page: silences, next } = cut(rows, ({ createdAt, id }) => [createdAt.toISOString(), id])
  return { silences: silences.map((row) => toResponse(row, now)), ...next }
}

export async function endSilence(
  ctx: Pick<AppContext, 'db' | 'now'>,
  { workspaceId, silenceId, actor }: { workspaceId: string; silenceId: string; actor: Actor },
) {
  return ctx.db.transaction().execute(async (tx) => {
    const silence = isUuid(silenceId)
      ? await store.findSilence(tx, workspaceId, silenceId)
      : undefined
    if (!silence) throw notFound('alert silence', silenceId)
    const { id, incidentId, until, covers, reason } = silence
    if ((await endSilences(ctx, tx, { workspaceId, ids: [id], actor })) === 0)
      throw new AppError('conflict', 'alert-silence-ended', 'The silence has ended already.')
    await announce(tx, workspaceId, ['alerts'])
    await recordAudit(ctx, tx, {
      workspaceId,
      actor,
      action: 'alert-incident.end-silence',
      resourceType: 'alert-incident',
      resourceId: incidentId,
      before: { until: until.toISOString(), covers, reason },
    })
    return getSilence({ db: tx, now: ctx.now }, workspaceId, id)
  })
}

/** Returns how many had not ended before. */
export async function endSilences(
  ctx: Pick<AppContext, 'now'>,
  tx: Tx,
  { workspaceId, ids, actor }: { workspaceId: string; ids: readonly string[]; actor: Actor },
): Promise<number> {
  const now = ctx.now()
  const byEmail = actor.email ?? null
  const ruleIds = await store.endSilences(tx, workspaceId, { ids, now, byEmail })
  if (ruleIds.length > 0) await store.releaseTold(tx, workspaceId, { ruleIds, now })
  return ruleIds.length
}
