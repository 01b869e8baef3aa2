/** Makes the rows of the staging tables from the records of feeds and bundles. */
import { hash } from 'node:crypto'
import { parseCveRecord } from '../../formats/advisories/cve5.ts'
import { parseCsafVex } from '../../formats/advisories/csaf-vex.ts'
import { parseEpss } from '../../formats/advisories/epss.ts'
import { parseEuExploited } from '../../formats/advisories/eu-exploited.ts'
import { parseKevEntry } from '../../formats/advisories/kev.ts'
import { productKeyOf } from '../../formats/advisories/keys.ts'
import type {
  Advisory,
  AffectedPackage,
  AffectedStatement,
  ParsedRecord,
  SkippedRecord,
} from '../../formats/advisories/model.ts'
import { parseNvdRecord } from '../../formats/advisories/nvd.ts'
import { parseOsvRecord } from '../../formats/advisories/osv.ts'
import { referenceKeys } from '../../formats/advisories/reference-keys.ts'
import { isCveId } from '../../formats/advisories/record-reader.ts'
import { primaryScore } from '../../formats/advisories/severity.ts'
import type { FeedSource } from '../../formats/feed-files.ts'
import type { AdvisoryLine } from './bundles/lines.ts'
import { copyRow, textArray } from './copy-text.ts'
import { advisoryName } from './vulnerability-rating.ts'

export const STAGED_ADVISORY_COLUMNS = [
  'ordinal',
  'source',
  'id',
  'content_hash',
  'aliases',
  'cve_ids',
  'linked_ids',
  'record',
  'name',
  'primary_score',
  'stated_severity',
  'published_at',
  'modified_at',
  'feed_at',
  'withdrawn_at',
  'affected',
] as const

function stagedAdvisoryRow(
  advisory: Advisory,
  { ordinal, feedAt }: { ordinal: number; feedAt: string | undefined },
): string {
  const { affected: _, ...record } = advisory
  const recordJson = JSON.stringify(record)
  // A withdrawn record affects no package.
  const keyed = record.withdrawnAt === undefined ? keyedAffected(withReferences(advisory)) : []
  const affectedJson = JSON.stringify(keyed)
  const contentHash = hash('sha256', recordJson + affectedJson)
  return advisoryRow(advisory, { ordinal, feedAt, recordJson, affectedJson, contentHash })
}

/** Keeps the hash of the published text: jsonb does not give back that text unchanged. */
export function bundledAdvisoryRow(
  { record, affected, hash: contentHash, feedAt }: AdvisoryLine,
  ordinal: number,
): string {
  // This program wrote the statements, so that members beyond the checked ones are kept as they are.
  const keyed = affected.map(({ key, statements }) => ({
    key,
    productKey: productKeyOf(key),
    statements: statements as AffectedStatement[],
  }))
  const advisory = { ...ABSENT, ...record, affected: [] }
  return advisoryRow(advisory, {
    ordinal,
    feedAt: feedAt ?? undefined,
    recordJson: JSON.stringify(record),
    affectedJson: JSON.stringify(keyed),
    contentHash,
  })
}

const ABSENT = {
  publishedAt: undefined,
  modifiedAt: undefined,
  withdrawnAt: undefined,
  status: undefined,
  title: undefined,
  description: undefined,
  statedSeverity: undefined,
}

interface RowTexts {
  ordinal: number
  feedAt: string | undefined
  recordJson: string
  affectedJson: string
  contentHash: string
}

/** In the order of `STAGED_ADVISORY_COLUMNS`. */
function advisoryRow(
  advisory: Advisory,
  { ordinal, feedAt, recordJson, affectedJson, contentHash }: RowTexts,
): string {
  const { source, id, aliases, publishedAt, modifiedAt, withdrawnAt, statedSeverity } = advisory
  const score = primaryScore(advisory.scores)
  return copyRow([
    ordinal,
    source,
    id,
    `\\x${contentHash}`,
    textArray(aliases),
    textArray(evidencedCveIds(advisory)),
    textArray(linkedIds(advisory)),
    recordJson,
    advisoryName(advisory),
    score && JSON.stringify(score),
    statedSeverity,
    publishedAt,
    modifiedAt,
    feedAt,
    withdrawnAt,
    affectedJson,
  ])
}

function withReferences({ affected, references }: Advisory): AffectedPackage[] {
  const keys = referenceKeys(references, affected)
  return [...affected, ...keys.map((key) => ({ key, statements: [] }))]
}

/** One entry per key, as in the table `advisory_affected`. */
function keyedAffected(affected: readonly AffectedPackage[]) {
  return [...Map.groupBy(affected, ({ key }) => key)].map(([key, entries]) => ({
    key,
    productKey: productKeyOf(key),
    statements: entries.flatMap(({ statements }) => statements),
  }))
}

type NamedAdvisory = Pick<Advisory, 'id' | 'aliases' | 'upstream'>

/**
 * The CVEs the record is evidence for: its own id and its aliases. If none of these is a CVE id, the CVEs it is derived
 * from (`upstream`), since records of distributions name CVEs only there. Sorted, so that equal sets are equal arrays
 * (docs/design/matching.md).
 */
function evidencedCveIds({ id, aliases, upstream = [] }: NamedAdvisory): string[] {
  const named = [id, ...aliases].filter(isCveId)
  return sortedSet(named.length > 0 ? named : upstream.filter(isCveId))
}

/** Its other names. They unite records that name no CVE; `upstream` and `related` unite nothing. */
function linkedIds({ id, aliases }: NamedAdvisory): string[] {
  return sortedSet([id, ...aliases].filter((name) => !isCveId(name)))
}

function sortedSet(ids: readonly string[]): string[] {
  return [...new Set(ids)].toSorted()
}

export interface StagedRecord {
  table: 'staged_advisories' | 'staged_kev' | 'staged_epss' | 'staged_euvd'
  row: string
}

export interface RecordPlace {
  /** Grows from record to record. */
  ordinal: number
  feedAt: string | undefined
}

/** Undefined for a line that is not a record, such as the heading of a table. */
export function stagedRecord(
  source: FeedSource,
  json: unknown,
  place: RecordPlace,
): StagedRecord | SkippedRecord | undefined {
  if (source === 'kev') return stagedKev(json, place)
  if (source === 'epss') return stagedEpss(json, place)
  if (source === 'euvd') return stagedEuvd(json, place)
  const parsed = PARSERS[source](json)
  if (!parsed.ok) return parsed
  return { table: 'staged_advisories', row: stagedAdvisoryRow(parsed.value, place) }
}

const PARSERS: Record<
  Exclude<FeedSource, 'kev' | 'epss' | 'euvd'>,
  (json: unknown) => ParsedRecord
> = {
  cvelist: parseCveRecord,
  nvd: parseNvdRecord,
  osv: parseOsvRecord,
  csaf: parseCsafVex,
}

function stagedKev(json: unknown, { ordinal, feedAt }: RecordPlace) {
  const parsed = parseKevEntry(json)
  if (!parsed.ok) return parsed
  const { cveId, dateAdded, dueDate, ...details } = parsed.value
  const row = copyRow([ordinal, cveId, dateAdded, dueDate, JSON.stringify(details), feedAt])
  return { table: 'staged_kev' as const, row }
}

function stagedEuvd(json: unknown, { ordinal }: RecordPlace) {
  const parsed = parseEuExploited(json)
  if (!parsed?.ok) return parsed
  const { cveId, euvdId, dateAdded } = parsed.value
  return { table: 'staged_euvd' as const, row: copyRow([ordinal, cveId, euvdId, dateAdded]) }
}

function stagedEpss(json: unknown, { ordinal, feedAt }: RecordPlace) {
  const parsed = parseEpss(json)
  if (parsed === undefined) return undefined
  if (!parsed.ok) return parsed
  const { cveId, epss, percentile } = parsed.value
  return { table: 'staged_epss' as const, row: copyRow([ordinal, cveId, epss, percentile, feedAt]) }
}
