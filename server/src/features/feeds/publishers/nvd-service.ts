/**
 * NVD: a feed per year and a feed of the changes of the last eight days; each is checked against its `.meta` file. A
 * service that is further behind asks the API for the changes.
 */
import { createHash } from 'node:crypto'
import { createReadStream, readFileSync } from 'node:fs'
import { DAY_MS } from '../../../formats/instants.ts'
import { HttpFailure } from '../../../platform/http-client/index.ts'
import {
  type FetchedPart,
  type FeedIo,
  type FeedPart,
  writePartMarks,
  needsArchive,
} from './feed-part.ts'
import { findApiCoverage, planNvdApiParts } from './nvd-api-service.ts'
import { formatNvdPosition, readNvdPositionTime, parseNvdMeta } from './nvd-responses.ts'
import { unpackBytes } from '../../../platform/unpacked-bytes.ts'

/** The feed of 2002 also holds the years before. */
const FIRST_YEAR = 2002
/** The feed of modified records holds the changes of this many days. */
const MODIFIED_DAYS = 8

export async function* planNvdParts(io: FeedIo): AsyncGenerator<FeedPart> {
  if (io.settings.nvdMode === 'api') {
    yield* planNvdApiParts(io, { since: findApiCoverage(io) })
    return
  }
  const years = yearsUntil(io.now())
  const total = years.length + 1
  const before = covered(io, years)
  if (before !== undefined && isBehind(io, before))
    yield* planNvdApiParts(io, { since: before, isOptional: areAllRead(io, years) })
  for (const year of years)
    if (needsArchive(io.parts.get(year), io)) yield feedPart(io, { name: year, total })
  const now = covered(io, years)
  if (now !== undefined && !isBehind(io, now)) yield feedPart(io, { name: 'modified', total })
}

function yearsUntil(now: Date): string[] {
  const last = now.getUTCFullYear()
  return Array.from({ length: last - FIRST_YEAR + 1 }, (_, n) => String(FIRST_YEAR + n))
}

/** All changes before this instant are known; undefined while a year is missing. */
function covered({ parts, ...io }: FeedIo, years: readonly string[]): string | undefined {
  const thisYear = String(io.now().getUTCFullYear())
  const times = years
    // The feed of a new year appears some days after it begins.
    .filter((year) => year !== thisYear || parts.get(year)?.position !== undefined)
    .map((year) => readNvdPositionTime(parts.get(year)?.position))
  if (times.length === 0 || times.some((time) => time === undefined)) return undefined
  const oldest = times.reduce((a, b) => ((a ?? '') < (b ?? '') ? a : b)) ?? ''
  const modified = readNvdPositionTime(parts.get('modified')?.position) ?? ''
  const api = findApiCoverage({ parts, ...io }) ?? ''
  return [oldest, modified, api].reduce((a, b) => (a > b ? a : b))
}

function isBehind({ now }: FeedIo, since: string): boolean {
  return now().getTime() - Date.parse(since) > MODIFIED_DAYS * DAY_MS
}

/** Whether every year that is behind will be read again. */
function areAllRead(io: FeedIo, years: readonly string[]): boolean {
  return years.every((year) => {
    const part = io.parts.get(year)
    const time = readNvdPositionTime(part?.position)
    return needsArchive(part, io) || (time !== undefined && !isBehind(io, time))
  })
}

interface Feed {
  name: string
  total: number
}

function feedPart(io: FeedIo, { name, total }: Feed): FeedPart {
  return { name, total, fetch: () => fetchFeed(io, name) }
}

async function fetchFeed(io: FeedIo, name: string): Promise<FetchedPart> {
  const url = `${io.settings.urls.nvd}/nvdcve-2.0-${name}`
  const meta = await fetchMeta(io, { url: `${url}.meta`, name })
  if (meta === undefined) return {}
  const known = io.parts.get(name)?.position
  const knownTime = readNvdPositionTime(known)
  if (known === formatNvdPosition(meta)) return {}
  if (knownTime !== undefined && meta.lastModified < knownTime)
    return {
      notice: `${name}: the feed is from ${meta.lastModified}, older than the known data (${knownTime}); the known data stays.`,
    }
  const file = await io.fetchFile({ url: `${url}.json.gz` })
  if (!file.isNew) return {}
  // A new feed may have appeared between the two requests; the next sync then fetches both of its files.
  if ((await sha256Of(file.path)) !== meta.sha256)
    throw new Error(`${url}.json.gz does not have the checksum that its .meta file states.`)
  const marks = writePartMarks(file, formatNvdPosition(meta))
  return { path: file.path, isSnapshot: name !== 'modified', marks }
}

async function fetchMeta(io: FeedIo, { url, name }: { url: string; name: string }) {
  try {
    const { path } = await io.fetchFile({ url, maxBytes: 64 * 1024 })
    const meta = parseNvdMeta(readFileSync(path, 'utf8'))
    if (meta) return meta
  } catch (error) {
    const isYetToCome = name === String(io.now().getUTCFullYear())
    if (isYetToCome && error instanceof HttpFailure && error.status === 404) return undefined
    throw error
  }
  throw new Error(`${url} is not a .meta file of NVD.`)
}

async function sha256Of(path: string): Promise<string> {
  const hash = createHash('sha256')
  for await (const chunk of unpackBytes(createReadStream(path) as AsyncIterable<Uint8Array>))
    hash.update(chunk)
  return hash.digest('hex')
}
