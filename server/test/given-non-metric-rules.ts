/** Rules about findings, sources, devices and deployments under a clock of the test, and the results of their evaluations. */
import { decodeFindingId } from '../src/formats/finding-id.ts'
import type { RuleCondition } from '../src/features/alert-rules/conditions/condition.ts'
import { evaluateDueRules } from '../src/features/alert-evaluation/index.ts'
import { matchChangedPackages } from '../src/features/matching/service.ts'
import type { AppContext } from '../src/platform/context.ts'
import type { TestApp } from './app.ts'
import { givenAlertRule } from './given-alerts.ts'
import { type GivenAdvisory, givenAdvisory } from './given-knowledge.ts'

export const MINUTE = 60_000
export const HOUR = 60 * MINUTE
const BEGIN = Date.UTC(2026, 7, 22, 10, 0, 0)

export interface FiringSeries {
  series: string
  label: string | null
  value: number | null
}

/** The time changes only when the test moves it. */
export function underClock(test: TestApp, begin = BEGIN) {
  let time = begin
  test.ctx.now = () => new Date(time)
  const pass = (milliseconds: number) => {
    time += milliseconds
  }
  /** Moves the time and evaluates due rules. */
  const evaluateAfter = async (milliseconds = MINUTE) => {
    pass(milliseconds)
    await evaluateDueRules(test.ctx)
  }
  const rule = (workspaceId: string, condition: RuleCondition, evaluationFrequency = '1m') =>
    givenAlertRule(
      test.ctx.db,
      { workspaceId, at: test.ctx.now() },
      { ...condition, evaluationFrequency },
    )
  return { pass, evaluateAfter, rule }
}

/** An advisory of a feed, matched with the packages that exist. */
export async function givenMatchedAdvisory(ctx: AppContext, given: GivenAdvisory): Promise<void> {
  const revision = await givenAdvisory(ctx.db, given)
  await matchChangedPackages(ctx, { revision })
}

export async function firingSeries(
  { ctx }: Pick<TestApp, 'ctx'>,
  ruleId: string,
): Promise<FiringSeries[]> {
  return ctx.db
    .selectFrom('alertSeries')
    .select(['series', 'label', 'value'])
    .where('ruleId', '=', ruleId)
    .where('until', 'is', null)
    .orderBy('series')
    .execute()
}

/** The ids of vulnerabilities, once for each firing finding. */
export async function firingCves(test: Pick<TestApp, 'ctx'>, ruleId: string): Promise<string[]> {
  const firing = await firingSeries(test, ruleId)
  return firing
    .map(({ series }) => decodeFindingId(series)?.vulnerabilityId ?? `no finding: ${series}`)
    .toSorted()
}

/** How many times series of the rule began to fire. */
export async function startedCount({ ctx }: Pick<TestApp, 'ctx'>, ruleId: string): Promise<number> {
  const rows = await ctx.db
    .selectFrom('alertSeries')
    .select('series')
    .where('ruleId', '=', ruleId)
    .execute()
  return rows.length
}

/** Newest first. */
export async function statuses({ ctx }: Pick<TestApp, 'ctx'>, ruleId: string): Promise<string[]> {
  const rows = await ctx.db
    .selectFrom('alertEvaluations')
    .select('status')
    .where('ruleId', '=', ruleId)
    .orderBy('scheduledAt', 'desc')
    .execute()
  return rows.map(({ status }) => status)
}
