/** Ends each day of the audit log with a seal, and finds the first day that differs from its seal (decision 109). */
import { formatCountOf } from '../../../formats/counts.ts'
import { addDays, addMs, MINUTE_MS } from '../../../formats/instants.ts'
import type { AppContext } from '../../../platform/context.ts'
import type { Db } from '../../../platform/db/connect.ts'
import {
  type CheckFaults,
  readSnapshot,
  summariseFaults,
  withoutTimeLimit,
  type WorkspaceCheck,
} from '../../../platform/doctor/check.ts'
import { startTicker } from '../../../platform/ticker.ts'
import { beginSeal, NO_SEAL } from './canonical.ts'
import * as store from './store.ts'

const LOOK_EVERY_MS = 5 * MINUTE_MS
/** Transactions that began before midnight have ended by then, but for a few: theirs are in the next seal. */
const SETTLING_MS = 15 * MINUTE_MS

/** Every worker looks; one of them seals a day. */
export function startSealing(ctx: AppContext): () => Promise<void> {
  const stopping = new AbortController()
  const ticker = startTicker({
    everyMs: LOOK_EVERY_MS,
    work: () => sealEndedDays(ctx, stopping.signal),
    log: ctx.log,
    failure: 'sealing the audit log failed',
  })
  ticker.runNow()
  return async () => {
    stopping.abort()
    await ticker.stop()
  }
}

type SealContext = Pick<AppContext, 'db' | 'now'>

/** Also days of an outage, each with a seal of its own. */
export async function sealEndedDays(ctx: SealContext, signal: AbortSignal): Promise<void> {
  for (const workspaceId of await store.listWaiting(ctx.db, findSettled(ctx)))
    for (let isMore = true; isMore && !signal.aborted;) isMore = await sealNextDay(ctx, workspaceId)
}

const findSettled = ({ now }: Pick<AppContext, 'now'>) => addMs(now(), -SETTLING_MS)

/** Entries and seal are one transaction: a worker that is killed leaves neither. False: there is no day to seal. */
function sealNextDay(ctx: SealContext, workspaceId: string): Promise<boolean> {
  return ctx.db.transaction().execute(async (tx) => {
    await withoutTimeLimit(tx)
    const day = await store.lockNextDay(tx, workspaceId, findSettled(ctx))
    if (day === undefined) return false
    const last = await store.findLastSeal(tx, workspaceId)
    const counts = await store.claimEntries(tx, { workspaceId, day })
    const { seal } = await computeSeal(tx, { workspaceId, day, previous: last?.seal ?? NO_SEAL })
    await store.insertSeal(tx, { workspaceId, day, seal, ...counts, sealedAt: ctx.now() })
    return true
  })
}

async function computeSeal(
  db: Db,
  of: { workspaceId: string; day: string; previous: string },
): Promise<{ seal: string; entryCount: number }> {
  const builder = beginSeal(of)
  let entryCount = 0
  for await (const entry of store.readCovered(db, of)) {
    builder.add(entry)
    entryCount += 1
  }
  return { seal: builder.finish(), entryCount }
}

const MOST_LISTED = 1_000

export interface ListSeals {
  workspaceId: string
  from?: string | undefined
  to?: string | undefined
}

export async function listAuditSeals(db: Db, { workspaceId, ...period }: ListSeals) {
  const seals = await store.listSeals(db, workspaceId, { ...period, limit: MOST_LISTED + 1 })
  return {
    seals: seals.slice(0, MOST_LISTED),
    hasMore: seals.length > MOST_LISTED,
    unsealedCount: await store.countUnsealable(db, workspaceId),
  }
}

/** undefined: no day is sealed yet. */
export const findNewestSeal = (db: Db, workspaceId: string) => store.findLastSeal(db, workspaceId)

/** All of a period, for whoever keeps them elsewhere. Oldest first. */
export async function listSealsUntil(db: Db, workspaceId: string, to: string) {
  return (await store.listSeals(db, workspaceId, { to, limit: 100_000 })).toReversed()
}

/** A worker that was away for longer is no fault of the log, but nobody could say that it was not changed meanwhile. */
const OVERDUE_DAYS = 2

export const sealChecks: readonly WorkspaceCheck[] = [
  {
    scope: 'Workspace',
    name: 'audit-seals',
    meaning: 'the audit log is as it was when each of its days was sealed',
    remedy:
      'Nothing repairs it. Compare the named day with a backup, and its seal with those in weekly mails and evidence bundles.',
    find: (ctx, workspaceId) => readSnapshot(ctx, (db) => findBrokenSeals(ctx, db, workspaceId)),
  },
]

async function findBrokenSeals(
  ctx: Pick<AppContext, 'now'>,
  db: Db,
  workspaceId: string,
): Promise<CheckFaults> {
  const faults: string[] = []
  const seals = await store.listSeals(db, workspaceId, { limit: 1_000_000 })
  let previous: store.SealRow | undefined
  for (const sealed of seals.toReversed()) {
    const fault = await findFault(db, workspaceId, { sealed, previous })
    // Later seals say nothing more: each is computed over the one before.
    if (fault !== undefined) {
      faults.push(`workspace ${workspaceId}: ${fault}`)
      break
    }
    previous = sealed
  }
  const { days, entryCount } = await store.findUnsealed(
    db,
    workspaceId,
    addDays(ctx.now(), -OVERDUE_DAYS),
  )
  if (days.length > 0)
    faults.push(`workspace ${workspaceId}: the seal of ${days[0] ?? ''} is missing`)
  const notJudged =
    entryCount === 0
      ? []
      : [
          `workspace ${workspaceId}: ${formatCountOf(entryCount, 'older entry is', 'older entries are')} not sealed yet; does a worker run?`,
        ]
  return summariseFaults(faults, notJudged)
}

async function findFault(
  db: Db,
  workspaceId: string,
  { sealed, previous }: { sealed: store.SealRow; previous: store.SealRow | undefined },
): Promise<string | undefined> {
  const { day } = sealed
  if (previous && countDaysBetween(previous.day, day) !== 1)
    return `the audit log has no seal between ${previous.day} and ${day}`
  const found = await computeSeal(db, { workspaceId, day, previous: previous?.seal ?? NO_SEAL })
  if (found.seal === sealed.seal) return undefined
  return found.entryCount === sealed.entryCount
    ? `${day} is the first day of the audit log that differs from its seal: an entry or the seal was changed`
    : `${day} is the first day of the audit log that differs from its seal: it was made of ${formatCountOf(sealed.entryCount, 'entry', 'entries')}, and there are ${found.entryCount} now`
}

const countDaysBetween = (one: string, two: string) =>
  Math.round((Date.parse(two) - Date.parse(one)) / 86_400_000)
