/** Reads what a weekly mail tells. */
import type { AppContext } from '../../platform/context.ts'
import { readExploitedDevices } from '../reports/index.ts'
import { listVulnerabilities } from '../findings/index.ts'
import type { CountedRows, WeeklyFacts, VulnerabilityRow } from './letter.ts'
import { listDecisionsOfWeek } from './store.ts'
import type { Week } from './week.ts'

const MOST_ROWS = 8

/** The worst new ones and the worst overdue ones as they are now; decisions of the week, the newest first. */
export async function readWeek(
  ctx: AppContext,
  workspaceId: string,
  { since, until }: Week,
): Promise<WeeklyFacts> {
  const detectedSince = since.toISOString()
  const decisions = await listDecisionsOfWeek(ctx.db, workspaceId, {
    since,
    until,
    limit: MOST_ROWS,
  })
  return {
    exploited: await readExploitedDevices(ctx, workspaceId),
    fresh: await listWorst(ctx, workspaceId, { activeOnly: true, detectedSince }),
    decided: { rows: decisions, total: decisions[0]?.total ?? 0, isLowerBound: false },
    overdue: await listWorst(ctx, workspaceId, { overdue: true }),
  }
}

type Filter = NonNullable<Parameters<typeof listVulnerabilities>[1]['filter']>

async function listWorst(
  ctx: AppContext,
  workspaceId: string,
  filter: Filter,
): Promise<CountedRows<VulnerabilityRow>> {
  const page = await listVulnerabilities(ctx, { workspaceId, filter, limit: MOST_ROWS })
  return {
    rows: page.vulnerabilities,
    total: page.totalCount,
    isLowerBound: page.totalCountIsLowerBound,
  }
}
