/** EPSS scores of FIRST: CSV lines of the daily file, and the JSON forms of mirrors and of FIRST's API. */
import type { ParseOutcome } from './model.ts'
import { requireCveId, fault, isCveId, readRecord, type JsonObject } from './record-reader.ts'

export interface EpssScore {
  cveId: string
  /** Probability of exploitation within 30 days, 0 to 1. */
  epss: number
  /** Share of CVEs with the same or a lower score, 0 to 1; older snapshots of mirrors leave it out. */
  percentile: number | undefined
}

/** Reads a CSV line or a JSON object; undefined for a comment, a header or an empty line. */
export function parseEpss(record: unknown): ParseOutcome<EpssScore> | undefined {
  return typeof record === 'string'
    ? parseEpssLine(record)
    : readRecord(record, ({ cve, id }) => cve ?? id, readObject)
}

/** `CVE-2021-44228,0.97,0.99`, also with semicolons. */
function parseEpssLine(line: string): ParseOutcome<EpssScore> | undefined {
  const text = line.trim()
  if (text === '' || text.startsWith('#') || /^cve[,;]/i.test(text)) return undefined
  const [cveId = '', epss, percentile, ...rest] = text.split(text.includes(';') ? ';' : ',')
  if (!isCveId(cveId)) return skipped(undefined, `not a CVE id: ${cveId.slice(0, 40)}`)
  if (percentile === undefined || rest.length > 0) return skipped(cveId, 'not three fields')
  const [score, rank] = [probability(epss), probability(percentile)]
  if (score === undefined) return skipped(cveId, 'the score is not between 0 and 1')
  if (rank === undefined) return skipped(cveId, 'the percentile is not between 0 and 1')
  return { ok: true, value: { cveId, epss: score, percentile: rank } }
}

function readObject(record: JsonObject): EpssScore {
  const idKey = record['cve'] === undefined ? 'id' : 'cve'
  const epss = probability(record['epss'])
  if (epss === undefined) throw fault('/epss', 'is not between 0 and 1')
  const percentile =
    record['percentile'] === undefined ? undefined : probability(record['percentile'])
  if (record['percentile'] !== undefined && percentile === undefined)
    throw fault('/percentile', 'is not between 0 and 1')
  return { cveId: requireCveId(record, idKey, ''), epss, percentile }
}

/** FIRST's API writes numbers as strings. */
function probability(value: unknown): number | undefined {
  const isNumeric = typeof value === 'number' || (typeof value === 'string' && NUMBER.test(value))
  const number = isNumeric ? Number(value) : Number.NaN
  if (!(number >= 0 && number <= 1)) return undefined
  return number < SMALLEST ? 0 : number
}

/** FIRST publishes nine decimal places. The database refuses a number like 1e-70. */
const SMALLEST = 1e-9

const NUMBER = /^\s*\d+(?:\.\d+)?(?:[eE][+-]?\d+)?\s*$/

function skipped(id: string | undefined, reason: string): ParseOutcome<EpssScore> {
  return { ok: false, id, reason }
}
