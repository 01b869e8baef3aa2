/** Counts findings that are as urgent as the release gate asks: kept by version, as lists have thousands of them. */
import { splitByWeight } from '../../formats/batches.ts'
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

/** By version: null where it is not counted yet, also because its contexts are not. undefined: the gate does not ask for outcomes. */
export async function readUrgency(
  db: Db,
  scope: Scope,
  firmwareVersionIds: readonly string[],
): Promise<{ from: string; countOf: (id: string) => number | null } | undefined> {
  const kept = await store.listKeptUrgency(db, scope.workspaceId, firmwareVersionIds)
  let rest = MOST_COUNTED
  const soon = kept
    .filter(({ count, isWaiting }) => count === null && !isWaiting)
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
    work: () => keepUrgency(ctx),
    log: ctx.log,
    failure: 'urgent findings of versions were not counted',
  })
  ticker.runNow()
  return ticker
}

/** So many findings are counted by one statement, or those of one larger version. */
const MOST_OF_BATCH = 100_000
/** A version without findings costs about as much as this many. */
const LEAST_OF_VERSION = 5_000
/** So many batches of a workspace are counted before all workspaces are looked at again. */
const MOST_BATCHES = 20

interface WaitingVersions {
  workspaceId: string
  /** The smallest versions first. */
  batches: readonly (readonly string[])[]
}

/**
 * Counts the versions of which something changed: a batch of each workspace in turn, so that none waits until all of another one is
 * counted. Where it fails, the other workspaces are counted all the same.
 */
export async function keepUrgency(ctx: AppContext): Promise<void> {
  const failures: unknown[] = []
  const run = async <Result>(work: () => Promise<Result>): Promise<Result | undefined> => {
    try {
      return await work()
    } catch (error) {
      failures.push(error)
      return undefined
    }
  }
  const waiting: WaitingVersions[] = []
  for (const workspaceId of await store.listAskingWorkspaces(ctx.db)) {
    const found = await run(() => listWaiting(ctx, workspaceId))
    if (found) waiting.push(found)
  }
  for (let place = 0; place < MOST_BATCHES; place++)
    for (const { workspaceId, batches } of waiting) {
      const ids = batches[place]
      if (ids) await run(() => keepUrgencyOf(ctx, { workspaceId, firmwareVersionIds: ids }))
    }
  if (failures.length > 0) throw new AggregateError(failures, 'some workspaces were not counted')
}

async function listWaiting(ctx: AppContext, workspaceId: string): Promise<WaitingVersions> {
  const kept = await store.listKeptUrgency(ctx.slowDb, workspaceId, undefined)
  const outdated = kept
    .filter(({ count, isWaiting }) => count === null && !isWaiting)
    .toSorted((one, other) => one.findingCount - other.findingCount)
  const batches = splitByWeight(outdated, {
    most: MOST_OF_BATCH,
    weightOf: ({ findingCount }) => Math.max(findingCount, LEAST_OF_VERSION),
  })
  return { workspaceId, batches: [...batches].map((some) => some.map(({ id }) => id)) }
}

/** What is read at one instant is kept with what it was counted of. */
async function keepUrgencyOf(
  ctx: AppContext,
  {
    workspaceId,
    firmwareVersionIds,
  }: { workspaceId: string; firmwareVersionIds: readonly string[] },
): Promise<void> {
  const counted = await readSnapshot({ db: ctx.slowDb }, (db) =>
    recount(db, workspaceId, firmwareVersionIds),
  )
  await store.keepUrgency(
    ctx.db,
    workspaceId,
    counted.flatMap(({ now, ...one }) => (now === undefined ? [] : [{ ...one, count: now }])),
  )
}

/** What is kept of versions, beside what is counted now; undefined: the gate does not ask for outcomes. */
async function recount(db: Db, workspaceId: string, firmwareVersionIds: readonly string[]) {
  const forbidsExploited = (await findAskedRules(db, workspaceId))?.forbidsExploited ?? false
  const counted = await countNow(db, { workspaceId, forbidsExploited }, [...firmwareVersionIds])
  const kept = await store.listKeptUrgency(db, workspaceId, firmwareVersionIds)
  return kept.map((one) => ({ ...one, now: counted?.counts.get(one.id) }))
}

/** Versions that are kept with another number than is counted now: the smallest ones, with as many findings as `most`. */
export async function listMiscounted(db: Db, workspaceId: string, most: number) {
  let rest = most
  const known = (await store.listKeptUrgency(db, workspaceId, undefined))
    .filter(({ count }) => count !== null)
    .toSorted((one, other) => one.findingCount - other.findingCount)
    .filter(({ findingCount }) => (rest -= findingCount) >= 0)
  const counted = await recount(
    db,
    workspaceId,
    known.map(({ id }) => id),
  )
  return counted.filter(({ count, now }) => now !== undefined && count !== now)
}
