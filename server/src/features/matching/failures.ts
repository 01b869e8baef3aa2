/** Failed evaluations of advisories: a fault of the service, which is logged, counted and shown in health. */
import type { AdvisorySource } from '../../formats/advisories/model.ts'
import type { AppContext } from '../../platform/context.ts'

export interface EvaluationFailure {
  packageId: string
  source: AdvisorySource
  advisoryId: string
  error: unknown
}

interface Failures {
  count: number
  last: { at: Date; packageId: string; source: AdvisorySource; advisoryId: string } | null
  /** Throw what failed instead of going on; tests do. */
  isStrict: boolean
}

const noFailures = (): Failures => ({ count: 0, last: null, isStrict: false })

/** Failures on this node since it started. */
export function getEvaluationFailures({ memory }: Pick<AppContext, 'memory'>): Failures {
  return memory.of(noFailures)
}

/** The advisory stays undecided for the package; the others are evaluated. */
export function reportFailure(
  ctx: Pick<AppContext, 'memory' | 'log' | 'now'>,
  { error, ...failed }: EvaluationFailure,
): void {
  const failures = getEvaluationFailures(ctx)
  failures.count += 1
  failures.last = { at: ctx.now(), ...failed }
  ctx.log.error({ err: error, ...failed }, 'an advisory could not be evaluated for a package')
  if (failures.isStrict) throw error
}
