/** Reports from outside: listed, and read with all that follows from their events. */
import type { AppContext } from '../../platform/context.ts'
import type { Db } from '../../platform/db/connect.ts'
import { notFound } from '../../platform/errors.ts'
import { isUuid } from '../../platform/ids.ts'
import { readPolicy } from './policy-service.ts'
import {
  isOpen,
  isWaiting,
  readStanding,
  type ReportEvent,
  type ReportState,
  type ReportTimes,
} from './standing.ts'
import * as store from './store.ts'

const MOST_LISTED = 500
/** As many as a workspace takes. */
export const MOST_REPORTS = 10_000

export type ClockContext = Pick<AppContext, 'now'>

function describe(
  { text: _text, ...row }: store.ReportRow,
  events: readonly ReportEvent[],
  at: { times: ReportTimes; now: Date },
) {
  const standing = readStanding(row, events, at)
  const next = standing.clocks
    .filter(({ doneAt }) => doneAt === null)
    .toSorted((one, two) => Number(one.dueAt) - Number(two.dueAt))[0]
  return {
    ...row,
    ...standing,
    isWaiting: isWaiting(standing),
    isLate: standing.clocks.some(({ state }) => state === 'Late'),
    nextDueAt: next?.dueAt ?? null,
    nextStep: next?.step ?? null,
  }
}

export type ReportSummary = ReturnType<typeof describe>

export async function listAllReports(
  { now }: ClockContext,
  db: Db,
  workspaceId: string,
): Promise<ReportSummary[]> {
  const rows = await store.listReports(db, workspaceId, { limit: MOST_REPORTS })
  if (rows.length === 0) return []
  const times = await readPolicy(db, workspaceId)
  const reportIds = rows.map(({ id }) => id)
  const events = await store.listEvents(db, workspaceId, { reportIds, hasTexts: false })
  const byReport = Map.groupBy(events, ({ reportId }) => reportId)
  return rows.map((row) => describe(row, byReport.get(row.id) ?? [], { times, now: now() }))
}

/** As a query has it. */
type Flag = 'true' | 'false' | undefined

interface ReportFilter {
  state?: ReportState | undefined
  isOpen?: Flag
  isWaiting?: Flag
  caseId?: string | undefined
}

export async function listReports(
  ctx: ClockContext,
  db: Db,
  { workspaceId, ...filter }: { workspaceId: string } & ReportFilter,
) {
  const all = await listAllReports(ctx, db, workspaceId)
  const chosen = all
    .filter((one) => isChosen(one, filter))
    .toSorted((one, two) => rank(one) - rank(two))
  return {
    reports: chosen.slice(0, MOST_LISTED),
    hasMore: chosen.length > MOST_LISTED,
    counts: {
      waiting: all.filter((one) => one.isWaiting).length,
      late: all.filter((one) => one.isLate).length,
      open: all.filter(isOpen).length,
      all: all.length,
    },
  }
}

const isAsAsked = (asked: string | undefined, value: string | boolean | null) =>
  asked === undefined || asked === String(value)

const isChosen = (one: ReportSummary, filter: ReportFilter): boolean =>
  isAsAsked(filter.state, one.state) &&
  isAsAsked(filter.isOpen, isOpen(one)) &&
  isAsAsked(filter.isWaiting, one.isWaiting) &&
  isAsAsked(filter.caseId, one.caseId)

const ENDED = 9e15
/** What is due first stands first; what has ended last, the newest before others. */
const rank = (one: ReportSummary) =>
  one.nextDueAt === null || !isOpen(one)
    ? ENDED - one.receivedAt.getTime() / 1e3
    : one.nextDueAt.getTime()

export async function findRow(
  db: Db,
  { workspaceId, reportId }: { workspaceId: string; reportId: string },
): Promise<store.ReportRow> {
  const [row] = isUuid(reportId)
    ? await store.listReports(db, workspaceId, { id: reportId, limit: 1 })
    : []
  if (!row) throw notFound('disclosure report', reportId)
  return row
}

export async function getReport(
  { now }: ClockContext,
  db: Db,
  one: { workspaceId: string; reportId: string },
) {
  const { workspaceId } = one
  const row = await findRow(db, one)
  const events = await store.listEvents(db, workspaceId, { reportIds: [row.id], hasTexts: true })
  const times = await readPolicy(db, workspaceId)
  return {
    ...describe(row, events, { times, now: now() }),
    text: row.text,
    events: events.map(({ reportId: _report, detail, byType, ...event }) => ({
      ...event,
      isByReporter: byType === null,
      caseId: detail.caseId ?? null,
      dismissal: detail.as ?? null,
      duplicateOfId: detail.duplicateOfId ?? null,
    })),
  }
}
