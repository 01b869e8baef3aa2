import { FEED_SOURCES, OPTIONAL_SOURCES } from '../../config/feed-settings.ts'
import type { FeedSource } from '../../formats/feed-files.ts'
import type { AppContext } from '../../platform/context.ts'
import { decideSourceState, isLacking } from './source-state.ts'
import { listAllParts, listSources } from './store.ts'

type Context = Pick<AppContext, 'config' | 'db' | 'now'>

const NEVER_TRIED = {
  lastAttemptAt: null,
  lastSuccessAt: null,
  lastError: null,
  snapshotAt: null,
  recordCount: 0,
  skippedCount: 0,
  skippedReasons: {},
  notice: null,
  nextSyncAt: null,
  requestedAt: null,
  lastRun: null,
  phase: 'Idle' as const,
  progress: null,
  isClaimed: false,
}

/** All sources. One that was never tried is listed, too. */
export async function getSources(ctx: Context) {
  const [rows, parts] = await Promise.all([listSources(ctx.db), listAllParts(ctx.db)])
  const known = new Map(rows.map((row) => [row.source, row]))
  const bySource = Map.groupBy(parts, ({ source }) => source)
  const sources = FEED_SOURCES.toSorted().map((source) => {
    const { phase, isClaimed, skippedReasons, progress, nextSyncAt, ...row } =
      known.get(source) ?? NEVER_TRIED
    return {
      ...row,
      source,
      skippedReasons: Object.entries(skippedReasons).map(([reason, count]) => ({ reason, count })),
      ...judge(ctx, source, row.lastSuccessAt),
      nextSyncAt: isFetched(ctx, source) ? nextSyncAt : null,
      // A process that died leaves its last phase behind.
      phase: isClaimed ? phase : ('Idle' as const),
      requestedAt: isWaiting(ctx, row) ? row.requestedAt : null,
      progress,
      parts: (bySource.get(source) ?? []).map(({ source: _source, ...part }) => part),
    }
  })
  return { sources }
}

/** A request waits until a sync begins. One that no worker takes is forgotten. */
const WAITS_SECONDS = 600

function isWaiting(
  ctx: Context,
  { requestedAt, lastAttemptAt }: { requestedAt: Date | null; lastAttemptAt: Date | null },
): boolean {
  if (requestedAt === null || secondsSince(ctx, requestedAt) > WAITS_SECONDS) return false
  return lastAttemptAt === null || lastAttemptAt < requestedAt
}

function isFetched({ config }: Context, source: FeedSource): boolean {
  return config.feeds.enabled && config.feeds.sources.includes(source)
}

function secondsSince({ now }: Context, at: Date): number {
  return Math.max(0, Math.round((now().getTime() - at.getTime()) / 1000))
}

/** What is said of the age of a source, wherever it is shown. */
function judge(ctx: Context, source: FeedSource, lastSuccessAt: Date | null) {
  const ageSeconds = lastSuccessAt && secondsSince(ctx, lastSuccessAt)
  const state = decideSourceState({
    ageSeconds,
    isFetched: isFetched(ctx, source),
    isOptional: OPTIONAL_SOURCES.has(source),
    staleHours: ctx.config.feeds.staleHours,
  })
  return { ageSeconds, state, isStale: isLacking(state) }
}

/** How old what an answer rests on is. */
export async function getSourceFreshness(ctx: Context) {
  const { sources } = await getSources(ctx)
  return sources.map(({ source, lastSuccessAt, isStale, state }) => ({
    source,
    lastCompleteAt: lastSuccessAt,
    isStale,
    state,
  }))
}

/** The health of each source, for operators and their monitoring. */
export async function getSourceHealth(ctx: Context) {
  const rows = new Map((await listSources(ctx.db)).map((row) => [row.source, row]))
  return FEED_SOURCES.toSorted().map((source) => {
    const row = rows.get(source) ?? NEVER_TRIED
    return {
      source,
      ...judge(ctx, source, row.lastSuccessAt),
      isFetched: isFetched(ctx, source),
      isFailing: row.lastError !== null,
      lastError: row.lastError,
      recordCount: row.recordCount,
      skippedCount: row.skippedCount,
    }
  })
}
