/** Filters that people switch on and off above a list, each with the number of rows it would leave. */
import { OPEN_ASSESSMENTS } from '../../formats/assessments.ts'
import { SEVERITIES } from '../../formats/advisories/model.ts'
import { type WorkspaceFindingFilter } from '../findings/index.ts'

const SINGLE = ['toDecide', 'mine', 'exploited', 'newSince', 'overdue', 'recheck'] as const
export const CHIPS = [...SINGLE, 'bySeverity', 'bySsvc', 'bySsvcOutcome'] as const
/** Those that are counted unless some are named. */
export const USUAL_CHIPS: readonly Chip[] = [...SINGLE, 'bySeverity']
export type Chip = (typeof CHIPS)[number]

/** What a chip adds to the filter, or puts in the place of a part of it. `personId`: of whoever asks. */
export function chipFilters(
  newSince: string,
  personId: string,
): Record<(typeof SINGLE)[number], WorkspaceFindingFilter> {
  return {
    toDecide: { activeOnly: true, assessments: [...OPEN_ASSESSMENTS] },
    mine: { owners: [personId] },
    exploited: { activeOnly: true, exploited: true },
    newSince: { activeOnly: true, detectedSince: newSince },
    overdue: { overdue: true },
    recheck: { recheck: true },
  }
}

export const severityFilters = SEVERITIES.map((severity) => ({
  severity,
  filter: { severities: [severity] } satisfies WorkspaceFindingFilter,
}))
