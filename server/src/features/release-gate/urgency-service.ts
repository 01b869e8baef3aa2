/** Counts findings that are as urgent as the release gate asks: kept by version, as lists have thousands of them. */
import { splitIntoBatches } from '../../formats/batches.ts'
import type { AppContext } from '../../platform/context.ts'
import type { Db } from '../../platform/db/connect.ts'
import { readSnapshot } from '../../platform/doctor/check.ts'
import { startTicker, type Ticker } from '../../platform/ticker.ts'
import { readGateOutcomes } from '../ssvc/index.ts'
import { findAskedRules } from './marks-store.ts'
import { countUrgent } from './urgent-store.ts'
import * as store from './urgency-store.ts'

interface Scope {
  workspaceId: string
  forbidsExploited: boolean
}

/** So many findings are counted while somebody waits, those of the smallest versions first. */
const MOST_COUNTED = 20_000

/** By version: null where it is not counted yet. undefined: the gate does not ask for outcomes. */
export async function readUrgency(
  db: Db,
  scope: Scope,
  firmwareVersionIds: readonly string[],
): Promise<{ from: string; countOf: (id: string) => number | null } | undefined> {
  const kept = await store.listKeptUrgency(db, scope.workspaceId, firmwareVersionIds)
  let rest = MOST_COUNTED
  const soon = kept
    .filter(({ count }) => count === null)
    .toSorted((one, other) => one.findingCount - other.findingCount)
    .filter(({ findingCount }, index) => {
      rest -= findingCount + 1
      return index === 0 || rest >= 0
    })
  const counted = await countNow(
    db,
    scope,
    soon.map(({ id }) => id),
  )
  if (!counted) return undefined
  const counts = new Map<string, number | null>([
    ...kept.map(({ id, count }) => [id, count] as const),
    ...counted.counts,
  ])
  return { from: counted.from, countOf: (id) => counts.get(id) ?? null }
}

async function countNow(db: Db, scope: Scope, firmwareVersionIds: string[]) {
  const outcomes = await readGateOutcomes(db, { ...scope, firmwareVersionIds })
  if (!outcomes) return undefined
  const { from, classes } = outcomes
  const found =
    firmwareVersionIds.length === 0
      ? new Map<string, number>()
      : await countUrgent(db, { ...scope, firmwareVersionIds, classes })
  return {
    from,
    counts: new Map(firmwareVersionIds.map((id) => [id, found.get(id) ?? 0])),
  }
}

const EVERY_MS = 5_000

/** Keeps the counts of all workspaces whose gate asks for them. Several workers may count the same, which harms nothing. */
export function startUrgencyCounts(ctx: AppContext): Ticker {
  const ticker = startTicker({
    everyMs: EVERY_MS,
    work: async () => {
      for (const workspaceId of await store.listAskingWorkspaces(ctx.db))
        await keepUrgencyOf(ctx, { workspaceId })
    },
    log: ctx.log,
    failure: 'urgent findings of versions were not counted',
  })
  ticker.runNow()
  return ticker
}

const BATCH = 20

/** Counts the versions of which something changed. What is read at one instant is kept with what it was counted of. */
export async function keepUrgencyOf(
  ctx: AppContext,
  { workspaceId }: { workspaceId: string },
): Promise<void> {
  const kept = await store.listKeptUrgency(ctx.slowDb, workspaceId, undefined)
  const outdated = kept.flatMap(({ id, count }) => (count === null ? [id] : []))
  for (const ids of splitIntoBatches(outdated, BATCH)) {
    const counted = await readSnapshot({ db: ctx.slowDb }, async (db) => {
      const forbidsExploited = (await findAskedRules(db, workspaceId))?.forbidsExploited ?? false
      const now = await countNow(db, { workspaceId, forbidsExploited }, ids)
      const states = await store.listKeptUrgency(db, workspaceId, ids)
      return states.map(({ id, countedOf }) => ({ id, countedOf, count: now?.counts.get(id) }))
    })
    await store.keepUrgency(
      ctx.db,
      workspaceId,
      counted.flatMap(({ count, ...one }) => (count === undefined ? [] : [{ ...one, count }])),
    )
  }
}
