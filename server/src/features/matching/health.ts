/** What the management port says about matching: whether a fault kept advisories from being evaluated. */
import type { AppContext } from '../../platform/context.ts'
import type { Extra } from '../../platform/management.ts'
import { getEvaluationFailures } from './failures.ts'

export function reportMatchingHealth(ctx: Pick<AppContext, 'memory'>): Extra {
  return {
    detail: 'matching',
    describe: () => {
      const { count, last } = getEvaluationFailures(ctx)
      return Promise.resolve({ failedEvaluations: count, lastFailure: last })
    },
    gauges: [
      {
        name: 'plimsoll_matching_failed_evaluations',
        help: 'Advisories that a fault of the service kept from being evaluated for a package, since the start',
        labelNames: [],
        values: () => Promise.resolve([{ labels: {}, value: getEvaluationFailures(ctx).count }]),
      },
    ],
  }
}
