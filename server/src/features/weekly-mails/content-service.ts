/** Reads what a weekly mail tells. */
import type { AppContext } from '../../platform/context.ts'
import { isStatementTimeout } from '../../platform/db/failures.ts'
import { addDays } from '../../formats/instants.ts'
import { AppError } from '../../platform/errors.ts'
import { findNewestSeal } from '../audit/index.ts'
import { describeValue, type Figure, readFigures } from '../figures/index.ts'
import { readExploitedDevices } from '../reports/index.ts'
import { listAcceptances } from '../triage/index.ts'
import { listVulnerabilities } from '../findings/index.ts'
import { countOwners } from '../vulnerabilities/index.ts'
import type { CountedRows, FigureLine, VulnerabilityRow, WeeklyFacts } from './facts.ts'
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
    accepted: await listAccepted(ctx, workspaceId, { since, until }),
    owned: await listOwned(ctx, workspaceId),
    figures: await listFigures(ctx, workspaceId, until),
    seal: (await findNewestSeal(ctx.db, workspaceId)) ?? null,
  }
}

/** How many active ones each owner has, most first; nothing where nobody owns anything. */
async function listOwned(ctx: AppContext, workspaceId: string): Promise<WeeklyFacts['owned']> {
  const { owners } = await countOwners(ctx, { workspaceId })
  if (owners.every(({ owner }) => owner === null))
    return { rows: [], total: 0, isLowerBound: false }
  const rows = owners
    .toSorted((a, b) => b.activeCount - a.activeCount)
    .map(({ owner, activeCount, countsBySeverity }) => ({
      id: owner?.id ?? null,
      name: owner?.name ?? 'Nobody',
      activeCount,
      criticalCount: countsBySeverity.find(({ severity }) => severity === 'Critical')?.count ?? 0,
    }))
  return { rows: rows.slice(0, MOST_OWNERS), total: rows.length, isLowerBound: false }
}

const MOST_OWNERS = 20

/** The worst of what belongs to a reader and to their teams; nothing where nobody owns anything. */
export async function readOwn(
  ctx: AppContext,
  { workspaceId, personId }: { workspaceId: string; personId: string },
): Promise<CountedRows<VulnerabilityRow>> {
  return listWorst(ctx, workspaceId, { activeOnly: true, owners: [personId] })
}

const DAYS_AHEAD = 7

/** The accepted risks that end in the week after, and those that ended in the week. */
async function listAccepted(
  ctx: AppContext,
  workspaceId: string,
  { since, until }: Week,
): Promise<WeeklyFacts['accepted']> {
  const list = (filter: object) => listAcceptances(ctx, { workspaceId, filter, limit: MOST_ROWS })
  const ending = await list({ endsBefore: addDays(until, DAYS_AHEAD).toISOString() })
  const ended = await list({ endedSince: since.toISOString() })
  const { open, endingSoon } = ending.counts
  return {
    ending: { rows: ending.acceptances, total: open + endingSoon, isLowerBound: false },
    ended: { rows: ended.acceptances, total: ended.counts.ended, isLowerBound: false },
  }
}

const FIGURE_DAYS = 28

/** Of the four weeks of whole days before the mail; null: there are too many cases for one answer, or it takes too long. */
async function listFigures(
  ctx: AppContext,
  workspaceId: string,
  until: Date,
): Promise<WeeklyFacts['figures']> {
  const [from, to] = [FIGURE_DAYS, 1].map((days) =>
    addDays(until, -days).toISOString().slice(0, 10),
  )
  if (from === undefined || to === undefined) throw new Error('There are two days.')
  try {
    const { figures } = await readFigures(ctx, { workspaceId, from, to })
    return { from, to, lines: figures.map(writeLine) }
  } catch (error) {
    // A mail without figures is worth more than none.
    if (!(error instanceof AppError) && !isStatementTimeout(error)) throw error
    return { from, to, lines: null }
  }
}

function writeLine({ title, values, list, notCounted }: Figure): FigureLine {
  const said = values.map((value) => `${value.title}: ${describeValue(value)}`)
  const [first] = notCounted
  const rest = first === undefined ? '' : `; ${first.count} ${first.reason}`
  return { title, path: list, text: said.join('; ') + rest }
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
