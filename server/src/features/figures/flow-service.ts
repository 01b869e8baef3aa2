/** How many cases a period began with, what came, what went, and how many it ended with. */
import { SEVERITIES, type Severity } from '../../formats/advisories/model.ts'
import { addDays } from '../../formats/instants.ts'
import type { AppContext } from '../../platform/context.ts'
import type { Period } from './asked.ts'
import { type CaseRow, listCases } from './cases-store.ts'
import { RANKS } from './facts-store.ts'

export interface CaseFlow {
  severity: Severity
  openBefore: number
  detected: number
  /** Open before or detected in the period, and not open at its end: decided, fixed, or ended. */
  closed: number
  openAfter: number
}

const nameCase = ({ firmwareId, vulnerabilityId }: CaseRow) => `${firmwareId}/${vulnerabilityId}`
const isOpen = (one: CaseRow) => one.isOpen

/** By severity as it was known at the end. Facts have times, so that the counts of a period that is over stay. */
export async function countCaseFlow(
  { db }: Pick<AppContext, 'db'>,
  period: Pick<Period, 'workspaceId' | 'firmwareId' | 'from' | 'to' | 'isClosed' | 'lastDay'>,
): Promise<CaseFlow[]> {
  const asked = { ...period, lineId: undefined }
  const { from, to } = period
  const after = await listCases(db, asked, MOST_CASES)
  const before = await listCases(
    db,
    { ...asked, from: addDays(from, -1), to: from, lastDay: addDays(from, -1), isClosed: true },
    MOST_CASES,
  )
  const wasOpen = new Set(before.filter(isOpen).map(nameCase))
  const isNew = ({ detectedAt }: CaseRow) => detectedAt >= from && detectedAt < to
  return SEVERITIES.map((severity) => {
    const own = after.filter((one) => (RANKS[one.severity - 1] ?? 'Unknown') === severity)
    const count = (meets: (one: CaseRow) => boolean) => own.filter(meets).length
    return {
      severity,
      openBefore: count((one) => wasOpen.has(nameCase(one))),
      detected: count(isNew),
      closed: count((one) => !one.isOpen && (wasOpen.has(nameCase(one)) || isNew(one))),
      openAfter: count(isOpen),
    }
  })
}

/** As many as figures read. */
const MOST_CASES = 200_000
