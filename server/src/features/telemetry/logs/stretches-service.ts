/** Reads hours of log lines into stretches, so that a search for a text skips the lines that cannot have it. */
import { NIL } from 'uuid'
import { addMs, HOUR_MS, MINUTE_MS, startOfHour } from '../../../formats/instants.ts'
import { computePositions, TrigramSet } from '../../../formats/trigram-filter.ts'
import type { AppContext } from '../../../platform/context.ts'
import type { Db, Tx } from '../../../platform/db/connect.ts'
import { startPauses } from '../../../platform/pauses.ts'
import * as store from './stretches-store.ts'
import type { LogPosition, LogQuery } from './store.ts'

/** Lines that arrive late are waited for, so that hours are read once. */
const GRACE_MS = 15 * MINUTE_MS
const LINES_OF_A_STRETCH = 4_096

/** Marks the hours of lines that are stored in the same transaction. */
export async function markLinesNew(
  tx: Tx,
  { workspaceId, now }: { workspaceId: string; now: Date },
  times: Iterable<Date>,
): Promise<void> {
  const hours = new Set(Array.from(times, (time) => startOfHour(time).getTime()))
  const marks = Array.from(hours, (hour) => ({
    hour: new Date(hour),
    readyAt: new Date(Math.max(hour + HOUR_MS, now.getTime()) + GRACE_MS),
  }))
  await store.markHours(tx, workspaceId, marks)
}

/** Several workers may do it at once. A failure is logged, so that it does not keep other workspaces waiting. */
export async function readLogHours(
  ctx: Pick<AppContext, 'db' | 'log' | 'now'>,
  linesAtOnce = LINES_OF_A_STRETCH,
): Promise<void> {
  const trigrams = new TrigramSet()
  for (const workspaceId of await store.listWorkspacesToRead(ctx.db, ctx.now())) {
    try {
      while (await readNextHour(ctx, workspaceId, { trigrams, linesAtOnce }));
    } catch (error) {
      ctx.log.error({ err: error, workspaceId }, 'reading an hour of log lines failed')
    }
  }
}

interface StretchReader {
  trigrams: TrigramSet
  linesAtOnce: number
}

async function readNextHour(
  { db, now }: Pick<AppContext, 'db' | 'now'>,
  workspaceId: string,
  reading: StretchReader,
): Promise<boolean> {
  return db.transaction().execute(async (tx) => {
    const hour = await store.takeUnreadHour(tx, workspaceId, now())
    if (hour) await readHour(tx, { workspaceId, hour }, reading)
    return hour !== undefined
  })
}

async function readHour(
  tx: Tx,
  of: { workspaceId: string; hour: Date },
  { trigrams, linesAtOnce }: StretchReader,
): Promise<void> {
  await store.deleteStretches(tx, of)
  const pause = startPauses()
  for (let after: LogPosition | undefined; ;) {
    const lines = await store.listTexts(tx, of, { after, limit: linesAtOnce })
    const oldest = lines[0]
    if (!oldest) return
    for (const { text } of lines) {
      trigrams.add(text)
      const rest = pause()
      if (rest) await rest
    }
    const lineCount = lines.length
    await store.insertStretch(tx, of, { oldest, lineCount, trigrams: trigrams.take() })
    if (lineCount < linesAtOnce) return
    after = lines.at(-1)
  }
}

/** Lines from before `before` back to `since`, with it. */
interface LineRange {
  before: LogPosition | undefined
  since: LogPosition | undefined
}

interface SearchPlan {
  /** The newest first. Lines outside of them have none of the texts. */
  ranges: LineRange[]
  /** The last line that they are about; undefined: they are about all lines. */
  end: LogPosition | undefined
}

/** Which lines have to be read to find the texts of the filter. */
export async function planSearch(
  db: Db,
  query: LogQuery,
  mostStretches: number,
): Promise<SearchPlan> {
  const texts = (query.message ?? []).map(({ contains }) => contains)
  const sought = (await store.lowerTexts(db, texts)).map(computePositions)
  if (sought.some((positions) => positions.length === 0))
    return { ranges: [{ before: query.after, since: undefined }], end: undefined }
  const stretches = await store.listStretches(db, query, { sought, limit: mostStretches })
  const end = stretches.length === mostStretches ? stretches.at(-1)?.oldest : undefined
  return { ranges: listRanges(stretches, { after: query.after, end }), end }
}

/** A part of all lines, from `before` to the next part. */
interface Part {
  before: LogPosition | undefined
  mayMatch: boolean
}

/** All lines but those of stretches that cannot match. The stretches of an hour have all its lines. */
function listRanges(
  stretches: readonly store.FoundStretch[],
  { after, end }: { after: LogPosition | undefined; end: LogPosition | undefined },
): LineRange[] {
  const parts = [{ before: after, mayMatch: true }, ...stretches.flatMap(listParts)]
  const last = stretches.at(-1)
  if (last && !end) parts.push({ before: findBegin(last.hour), mayMatch: true })
  const changes = parts.filter(({ mayMatch }, at) => mayMatch !== parts[at - 1]?.mayMatch)
  return changes.flatMap(({ before, mayMatch }, at) => {
    const next = changes[at + 1]
    return mayMatch ? [{ before, since: next ? next.before : end }] : []
  })
}

/** The stretch, and before it hours without stretches. */
function listParts(
  { hour, mayMatch }: store.FoundStretch,
  at: number,
  stretches: readonly store.FoundStretch[],
): Part[] {
  const newer = stretches[at - 1]
  const end = addMs(hour, HOUR_MS)
  if (newer?.hour.getTime() === hour.getTime()) return [{ before: newer.oldest, mayMatch }]
  const hasGap = newer && newer.hour > end
  return [
    ...(hasGap ? [{ before: findBegin(newer.hour), mayMatch: true }] : []),
    { before: findBegin(end), mayMatch },
  ]
}

const findBegin = (hour: Date): LogPosition => ({ time: hour, id: NIL })
