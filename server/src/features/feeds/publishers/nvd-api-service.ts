/** NVD's API 2.0, page by page. Each page is merged by itself, so that an interrupted reading continues. */
import { open } from 'node:fs/promises'
import { setTimeout as delay } from 'node:timers/promises'
import type { FetchedPart, FeedIo, FeedPart } from './feed-part.ts'
import {
  type ApiPosition,
  planNextReading,
  type PageHead,
  buildPageUrl,
  parseApiPosition,
  readPageHead,
} from './nvd-responses.ts'

const PART = 'api'
const PAGE_SIZE = 2_000

/** All changes before this instant were read from the API. */
export function findApiCoverage({ parts }: Pick<FeedIo, 'parts'>): string | undefined {
  return parseApiPosition(parts.get(PART)?.position).covered
}

/** Reads the changes since `since` or since the last reading; without either, all records. */
export async function* planNvdApiParts(
  io: FeedIo,
  { since, isOptional = false }: { since: string | undefined; isOptional?: boolean },
): AsyncGenerator<FeedPart> {
  // `now` is fixed: otherwise new windows would follow without end.
  const now = io.now()
  for (;;) {
    const position = parseApiPosition(io.parts.get(PART)?.position)
    const own = position.covered ?? ''
    const covered = since !== undefined && since > own ? since : position.covered
    const reading = planNextReading(position, { covered, now })
    if (!reading) return
    yield { name: PART, isOptional, fetch: () => fetchPage(io, reading, covered) }
    if (io.hasFailed(PART)) return
  }
}

type WindowPosition = Required<ApiPosition>['under']

async function fetchPage(
  io: FeedIo,
  reading: WindowPosition,
  covered: string | undefined,
): Promise<FetchedPart> {
  const { nvdApi } = io.settings.urls
  await pace(io, nvdApi)
  const { nvdApiKey: apiKey } = io.settings
  const file = await io.fetchFile({
    url: buildPageUrl(nvdApi, reading, PAGE_SIZE),
    ...(apiKey !== undefined && { headers: { apiKey } }),
    name: 'page.json',
    // NVD's answer to too many requests.
    alsoTransient: [403],
  })
  const head = readPageHead(await readBeginning(file.path))
  if (!head || head.startIndex !== reading.next)
    throw new Error(
      `${nvdApi} did not answer a page of CVE records that begins at ${reading.next}.`,
    )
  const marks = { position: JSON.stringify(positionAfter(reading, head, covered)) }
  return { path: file.path, isSnapshot: false, marks }
}

function positionAfter(
  reading: WindowPosition,
  { startIndex, resultsPerPage, totalResults }: PageHead,
  covered: string | undefined,
): ApiPosition {
  const next = startIndex + resultsPerPage
  if (next >= totalResults) return { covered: reading.to }
  if (resultsPerPage === 0)
    throw new Error(`NVD answered an empty page at ${startIndex} of ${totalResults} records.`)
  return { ...(covered !== undefined && { covered }), under: { ...reading, next } }
}

async function readBeginning(path: string): Promise<string> {
  const file = await open(path)
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(4096), 0, 4096, 0)
    return buffer.toString('utf8', 0, bytesRead)
  } finally {
    await file.close()
  }
}

/** The times of the last requests to each server. */
const requestTimes = () => new Map<string, number[]>()

/** Waits until the server allows another request. NVD counts requests in a sliding window of 30 seconds. */
async function pace({ settings, signal, memory }: FeedIo, url: string): Promise<void> {
  const asked = memory.of(requestTimes)
  const { requests, spanMs } = settings.nvdApiPace
  const times = asked.get(url) ?? []
  asked.set(url, times)
  const oldest = times.length < requests ? undefined : times[times.length - requests]
  const wait = oldest === undefined ? 0 : oldest + spanMs - Date.now()
  if (wait > 0) await delay(wait, undefined, { signal })
  times.push(Date.now())
  times.splice(0, times.length - requests)
}
