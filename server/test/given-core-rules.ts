/** Rules about findings, sources, devices and deployments under a clock of the test, and what they come to. */
import type { RuleCondition } from '../src/features/alert-rules/condition.ts'
import { evaluateDueRules } from '../src/features/alert-evaluation/index.ts'
import { decodeFindingId } from '../src/features/findings/finding-id.ts'
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

/** Time stands until the test moves it; what the service is asked meanwhile happens at that instant. */
export function underClock(test: TestApp, begin = BEGIN) {
  let time = begin
  test.ctx.now = () => new Date(time)
  const pass = (milliseconds: number) => {
    time += milliseconds
  }
  const turn = async (milliseconds = MINUTE) => {
    pass(milliseconds)
    await evaluateDueRules(test.ctx)
  }
  const rule = (workspaceId: string, condition: RuleCondition, evaluationFrequency = '1m') =>
    givenAlertRule(
      test.ctx.db,
      { workspaceId, at: test.ctx.now() },
      { ...condition, evaluationFrequency },
    )
  return { pass, turn, rule }
}

/** What a feed brings of packages that are there. */
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

/** Ids of vulnerabilities, each as often as a finding of it fires. */
export async function firingCves(test: Pick<TestApp, 'ctx'>, ruleId: string): Promise<string[]> {
  const firing = await firingSeries(test, ruleId)
  return firing
    .map(({ series }) => decodeFindingId(series)?.vulnerabilityId ?? `no finding: ${series}`)
    .toSorted()
}

/** How often series of the rule began to fire. */
export async function begunCount({ ctx }: Pick<TestApp, 'ctx'>, ruleId: string): Promise<number> {
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
