/** Silences: for a time, a rule tells nobody of what is firing. It still records. */
import { addDays, parseInstant } from '../../../formats/instants.ts'
import type { Actor } from '../../../platform/actor.ts'
import type { AppContext } from '../../../platform/context.ts'
import { announce } from '../../../platform/db/announcements.ts'
import { AppError, invalid, notFound } from '../../../platform/errors.ts'
import { openPage, type PageRequested } from '../../../platform/http/paging.ts'
import { isUuid, newId } from '../../../platform/ids.ts'
import { recordAudit } from '../../audit/index.ts'
import { requireIncident } from '../service.ts'
import { MOST_DAYS } from './schemas.ts'
import * as store from './store.ts'

interface SilenceIncident {
  workspaceId: string
  incidentId: string
  until: string
  reason: string
  covers?: store.Covers
  actor: Actor
}

export async function silenceIncident(
  ctx: Pick<AppContext, 'db' | 'now'>,
  { workspaceId, incidentId, actor, covers = 'Series', reason, ...input }: SilenceIncident,
) {
  const now = ctx.now()
  return ctx.db.transaction().execute(async (tx) => {
    const { ruleId } = await requireIncident(tx, { workspaceId, incidentId })
    const until = parseEnd(input.until, now)
    const id = newId()
    await store.insertSilence(tx, workspaceId, {
      id,
      ruleId,
      incidentId,
      covers,
      reason: reason.trim(),
      createdAt: now,
      createdByEmail: actor.email ?? null,
      until,
    })
    await store.holdSilenced(tx, workspaceId, { ruleId, now })
    await announce(tx, workspaceId, ['alerts'])
    await recordAudit(ctx, tx, {
      workspaceId,
      actor,
      action: 'alert-incident.silence',
      resourceType: 'alert-incident',
      resourceId: incidentId,
      after: { until: until.toISOString(), covers, reason },
    })
    return getSilence({ db: tx, now: ctx.now }, workspaceId, id)
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
  const now = ctx.now()
  return ctx.db.transaction().execute(async (tx) => {
    const silence = isUuid(silenceId)
      ? await store.findSilence(tx, workspaceId, silenceId)
      : undefined
    if (!silence) throw notFound('alert silence', silenceId)
    const { id, ruleId, incidentId, until, covers, reason } = silence
    if (!(await store.endSilence(tx, workspaceId, { id, now, byEmail: actor.email ?? null })))
      throw new AppError('conflict', 'alert-silence-ended', 'The silence has ended already.')
    await store.releaseTold(tx, workspaceId, { ruleId, now })
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
