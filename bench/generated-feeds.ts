/** Generates feeds of any size from real records under other ids, in the layout of their publishers. */
import { once } from 'node:events'
import { createReadStream, mkdirSync, writeFileSync } from 'node:fs'
import { open } from 'node:fs/promises'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { createGunzip } from 'node:zlib'

const FIRST_YEAR = 2000
const YEARS = 25

/** Spreads ids evenly over the years. */
function cveId(n: number): string {
  return `CVE-${FIRST_YEAR + (n % YEARS)}-${String(1_000_000 + Math.floor(n / YEARS))}`
}

/** Repeats the lines of the files without end. */
async function* linesOf(paths: readonly string[]): AsyncGenerator<string> {
  for (;;)
    for (const path of paths)
      yield* createInterface({ input: createReadStream(path).pipe(createGunzip()) })
}

/** Records with new ids. */
async function* records(paths: readonly string[], count: number): AsyncGenerator<[string, string]> {
  let n = 0
  for await (const line of linesOf(paths)) {
    const stated = /"(?:cveId|id)":"(CVE-[^"]+)"/.exec(line)?.[1]
    if (stated === undefined) continue
    const id = cveId(n)
    yield [id, line.replaceAll(stated, id)]
    if (++n === count) return
  }
}

/** A folder with one file per record, as in the CVE List's repository and archives. */
export async function generateCveList(paths: readonly string[], count: number, folder: string) {
  let bytes = 0
  for await (const [id, record] of records(paths, count)) {
    const [, year = '', number = ''] = id.split('-')
    const below = join(folder, 'cves', year, `${number.slice(0, -3)}xxx`)
    mkdirSync(below, { recursive: true })
    writeFileSync(join(below, `${id}.json`), record)
    bytes += record.length
  }
  return bytes
}

/** Each repetition has other products, so that a product has a realistic number of records. */
export function generateProductFeed(path: string, count: number, file: string) {
  return writeNvd(file, count, productRecords(path, count))
}

async function* productRecords(path: string, count: number): AsyncGenerator<[string, string]> {
  let round = -1
  let first: string | undefined
  for await (const [id, record] of records([path], count)) {
    const text = record.slice(record.indexOf('"sourceIdentifier"'))
    if (first === undefined || text === first) round++
    first ??= text
    const renamed = (prefix: string, product: string) => `${prefix}${product}_${round}:`
    yield [
      id,
      round === 0
        ? record
        : record.replaceAll(
            /("criteria":"cpe:2\.3:[aho]:[^:"]+:)([^:"]+):/g,
            (_, prefix: string, product: string) => renamed(prefix, product),
          ),
    ]
  }
}

/** One feed file of JSON 2.0, larger than any real one. */
export function generateNvd(paths: readonly string[], count: number, file: string) {
  return writeNvd(file, count, records(paths, count))
}

/** The first records of a generated feed as their publisher changes them: modified later, with other ranges. */
export function generateNvdDelta(feed: string, count: number, file: string) {
  return writeNvd(file, count, changedRecords(feed, count))
}

async function* changedRecords(feed: string, count: number): AsyncGenerator<[string, string]> {
  let n = 0
  for await (const line of createInterface({ input: createReadStream(feed) })) {
    const id = /"id":"(CVE-[^"]+)"/.exec(line)?.[1]
    if (id === undefined) continue
    const record = line.slice(line.indexOf('{"cve":')).replace(/(?:,|\]\})\s*$/, '')
    yield [
      id,
      record
        .replace(/"lastModified":"[^"]*"/, '"lastModified":"2099-01-01T00:00:00.000"')
        .replaceAll(/"versionEnd(In|Ex)cluding":"[^"]*"/g, '"versionEnd$1cluding":"0.1"'),
    ]
    if (++n === count) return
  }
}

async function writeNvd(file: string, count: number, all: AsyncGenerator<[string, string]>) {
  const handle = await open(file, 'w')
  const stream = handle.createWriteStream()
  const totals = `"resultsPerPage":${count},"startIndex":0,"totalResults":${count}`
  stream.write(
    `{${totals},"format":"NVD_CVE","version":"2.0","timestamp":"2026-08-22T00:00:00.000","vulnerabilities":[`,
  )
  let bytes = 0
  let separator = ''
  for await (const [, record] of all) {
    bytes += record.length
    if (!stream.write(separator + record)) await once(stream, 'drain')
    separator = ',\n'
  }
  stream.end(']}\n')
  await once(stream, 'finish')
  return bytes
}
