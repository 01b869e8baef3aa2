/** Cases by filter, with how many there are in each state. */
import type { CaseType } from '../../formats/law/clocks.ts'
import type { Db } from '../../platform/db/connect.ts'
import { type CaseState, readStanding } from './case-facts.ts'
import { type Deadline, listDeadlines } from './deadlines.ts'
import { describe, type ClockContext } from './service.ts'
import * as store from './store.ts'

const MOST_LISTED = 500
const MOST_READ = 10_000

/** As a query has it. */
type Flag = 'true' | 'false' | undefined

interface CaseFilter {
  state?: CaseState | undefined
  /** Leaves out what is closed or dismissed. */
  isOpen?: Flag
  type?: CaseType | undefined
  isDrill?: Flag
  isLate?: Flag
  listedBefore?: string | undefined
  cveId?: string | undefined
}

export async function listCases(
  ctx: ClockContext,
  db: Db,
  { workspaceId, ...filter }: { workspaceId: string } & CaseFilter,
) {
  const all = await listAllCases(ctx, db, workspaceId)
  const cases = all
    .filter((one) => isChosen(one, filter))
    .toSorted((one, two) => rank(one) - rank(two))
  return {
    cases: cases.slice(0, MOST_LISTED),
    hasMore: cases.length > MOST_LISTED || all.length === MOST_READ,
    counts: {
      open: all.filter(({ state }) => state === 'Open').length,
      late: all.filter(isLate).length,
      proposed: all.filter(({ state }) => state === 'Proposed').length,
      watching: all.filter(({ state }) => state === 'Watching').length,
    },
  }
}

export async function listAllCases(ctx: ClockContext, db: Db, workspaceId: string) {
  const rows = await store.listCases(db, workspaceId, { limit: MOST_READ })
  const caseIds = rows.map(({ id }) => id)
  const facts = await store.listFacts(db, workspaceId, { caseIds, hasTexts: false })
  const byCase = Map.groupBy(facts, ({ caseId }) => caseId)
  return rows.map((row) => describe(ctx, row, byCase.get(row.id) ?? []))
}

type Summary = ReturnType<typeof describe>

const isLate = ({ state, clocks }: Summary) =>
  state === 'Open' && clocks.some((clock) => clock.state === 'Late')

function isChosen(one: Summary, { isOpen, ...filter }: CaseFilter): boolean {
  if (isOpen === 'true' && (one.state === 'Closed' || one.state === 'Dismissed')) return false
  const { listedBefore } = filter
  return (
    isAsAsked(filter.isDrill, one.isDrill) &&
    isAsAsked(filter.isLate, isLate(one)) &&
    isAsAsked(filter.state, one.state) &&
    isAsAsked(filter.type, one.type) &&
    isAsAsked(filter.cveId, one.cveId) &&
    (listedBefore === undefined || (one.listedOn !== null && one.listedOn < listedBefore))
  )
}

const isAsAsked = (asked: string | undefined, value: string | boolean | null) =>
  asked === undefined || asked === String(value)

const NO_TIME = 4e15
const AFTER_ALL_OTHERS = 5e15
/** Open clocks first, the next one due before others, then what waits for an answer. In each, drills hide nothing that is real. */
const ORDER: readonly CaseState[] = ['Open', 'Proposed', 'Watching', 'Closed', 'Dismissed']
const rank = ({ state, nextDueAt, isDrill }: Summary) =>
  ORDER.indexOf(state) * 1e16 +
  (isDrill ? AFTER_ALL_OTHERS : 0) +
  (state === 'Open' ? Number(nextDueAt ?? NO_TIME) : 0)

/** Deadlines of all cases, however many, for alerts: nothing that is due is left out. */
export async function listCaseDeadlines(
  db: Db,
  { workspaceId, at }: { workspaceId: string; at: Date },
): Promise<Deadline[]> {
  const rows = await store.listCases(db, workspaceId, {})
  const caseIds = rows.map(({ id }) => id)
  const facts = await store.listFacts(db, workspaceId, { caseIds, hasTexts: false })
  const byCase = Map.groupBy(facts, ({ caseId }) => caseId)
  const shown = rows.map((row) => describe({ now: () => at }, row, byCase.get(row.id) ?? []))
  return listDeadlines(shown, at)
}

/**
 * As their facts were recorded by an instant: what was corrected later is as it was said then. The oldest first. Titles and product lines are those of now.
 */
export async function listCasesAt(db: Db, { workspaceId, at }: { workspaceId: string; at: Date }) {
  const rows = (await store.listCases(db, workspaceId, {})).filter(
    ({ createdAt }) => createdAt < at,
  )
  const caseIds = rows.map(({ id }) => id)
  const all = await store.listFacts(db, workspaceId, { caseIds, hasTexts: false })
  const byCase = Map.groupBy(
    all.filter(({ recordedAt }) => recordedAt < at),
    ({ caseId }) => caseId,
  )
  return rows.toReversed().map((row) => {
    const facts = byCase.get(row.id) ?? []
    return {
      ...describe({ now: () => at }, row, facts),
      submissions: readStanding(facts).reports.flatMap(({ detail, instant, invalidation }) =>
        detail.stage && instant
          ? [
              {
                stage: detail.stage,
                submittedAt: instant,
                reference: detail.reference ?? null,
                isInvalid: invalidation !== undefined,
              },
            ]
          : [],
      ),
    }
  })
}
