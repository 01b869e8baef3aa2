/** Makes the rows of the staging tables from the records of feeds and bundles. */
import { hash } from 'node:crypto'
import { parseCveRecord } from '../../../formats/advisories/cve5.ts'
import { parseCsafVex } from '../../../formats/advisories/csaf-vex.ts'
import { parseEpss } from '../../../formats/advisories/epss.ts'
import { parseEuExploited } from '../../../formats/advisories/eu-exploited.ts'
import { parseKevEntry } from '../../../formats/advisories/kev.ts'
import { parseSupportProduct, type SupportProduct } from '../../../formats/support/product.ts'
import { dropVendor } from '../../../formats/advisories/keys.ts'
import {
  ADVISORY_PARSER_VERSION,
  type Advisory,
  type AdvisorySource,
  type AffectedPackage,
  type AffectedStatement,
  type ParsedRecord,
  type SkippedRecord,
} from '../../../formats/advisories/model.ts'
import { parseNvdRecord } from '../../../formats/advisories/nvd.ts'
import { parseOsvRecord } from '../../../formats/advisories/osv.ts'
import { listReferenceKeys } from '../../../formats/advisories/reference-keys.ts'
import { isCveId, makeStorable } from '../../../formats/advisories/record-reader.ts'
import { classifyDecisions } from '../../../formats/ssvc/classes.ts'
import { choosePrimaryScore } from '../../../formats/advisories/severity.ts'
import type { FeedSource } from '../../../formats/feed-files.ts'
import type { AdvisoryLine } from '../bundles/lines.ts'
import { copyRow, writeTextArray } from './copy-text.ts'
import { chooseAdvisoryName } from '../rating/advisory-name.ts'

/** What staged and stored advisories share, in the order of their rows. */
export const ADVISORY_COLUMNS = [
  'source',
  'id',
  'content_hash',
  'text_hash',
  'aliases',
  'cve_ids',
  'linked_ids',
  'name',
  'primary_score',
  'stated_severity',
  'published_at',
  'modified_at',
  'feed_at',
  'withdrawn_at',
  'is_disputed',
  'ssvc_class',
] as const

export const STAGED_ADVISORY_COLUMNS = [
  'ordinal',
  ...ADVISORY_COLUMNS,
  'record',
  'affected',
] as const

function stagedAdvisoryRow(
  advisory: Advisory,
  { ordinal, feedAt, textHash }: AdvisoryPlace,
): string {
  const { affectedJson, recordJson, contentHash } = writeAdvisoryTexts(advisory)
  const values = listAdvisoryValues(advisory, { contentHash, textHash, feedAt })
  return copyRow([ordinal, ...values, recordJson, affectedJson])
}

/** An advisory and what it says about each key, as JSON. */
export function writeAdvisoryTexts(advisory: Advisory) {
  // JSON leaves undefined members out, and making a copy without the member would take longer.
  const recordJson = JSON.stringify({ ...advisory, affected: undefined })
  // A withdrawn record affects no package.
  const keyed = advisory.withdrawnAt === undefined ? keyedTexts(withReferences(advisory)) : []
  const affectedJson = writeAffectedText(keyed)
  return { recordJson, keyed, affectedJson, contentHash: hash('sha256', recordJson + affectedJson) }
}

/** Keeps the hash of the published text: jsonb does not give back that text unchanged. */
export function writeBundledAdvisory(
  { record, affected, hash: contentHash, feedAt }: AdvisoryLine,
  ordinal: number,
): string {
  // This program wrote the statements, so that members beyond the checked ones are kept as they are.
  const keyed = affected.map(({ key, statements }) => ({
    key,
    productKey: dropVendor(key),
    statements: statements as AffectedStatement[],
  }))
  const advisory = { ...ABSENT, ...record, affected: [] }
  const values = listAdvisoryValues(advisory, {
    feedAt: feedAt ?? undefined,
    contentHash,
    textHash: undefined,
  })
  return copyRow([ordinal, ...values, storableJson(record), storableJson(keyed)])
}

/** What a parser made has no text that `->>` could not give back. A bundle may. */
function storableJson(value: unknown): string {
  const json = JSON.stringify(value)
  if (!/\\u(?:0000|d[89a-f])/i.test(json)) return json
  return JSON.stringify(value, (_, part: unknown) =>
    typeof part === 'string' ? makeStorable(part) : part,
  )
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

interface ValueTexts {
  feedAt: string | undefined
  contentHash: string
  textHash: string | undefined
}

/** In the order of `ADVISORY_COLUMNS`. */
export function listAdvisoryValues(
  advisory: Advisory,
  { feedAt, contentHash, textHash }: ValueTexts,
): (string | undefined)[] {
  const { source, id, aliases, publishedAt, modifiedAt, withdrawnAt, statedSeverity } = advisory
  const score = choosePrimaryScore(advisory.scores)
  return [
    source,
    id,
    `\\x${contentHash}`,
    textHash && `\\x${textHash}`,
    writeTextArray(aliases),
    writeTextArray(evidencedCveIds(advisory)),
    writeTextArray(linkedIds(advisory)),
    chooseAdvisoryName(advisory),
    score && JSON.stringify(score),
    statedSeverity,
    publishedAt,
    modifiedAt,
    feedAt,
    withdrawnAt,
    String(advisory.isDisputed === true),
    String(classifyDecisions(advisory.ssvc ?? [])),
  ]
}

/** Half of a SHA-256: finding two texts with the same one would still take too long. */
export const TEXT_HASH_BYTES = 16

/** Begins with the version of the parsers: another one may read the same text otherwise. */
export function hashRecordText(text: Uint8Array): string {
  return PARSER_BYTE + hash('sha256', text).slice(0, 2 * TEXT_HASH_BYTES)
}

const PARSER_BYTE = Buffer.of(ADVISORY_PARSER_VERSION).toString('hex')

function withReferences({ affected, references }: Advisory): AffectedPackage[] {
  const keys = listReferenceKeys(references, affected)
  return [...affected, ...keys.map((key) => ({ key, statements: [] }))]
}

/** What an advisory says about one key, a row of `advisory_affected`. */
export interface KeyedText {
  key: string
  productKey: string | undefined
  /** JSON, as the next one. */
  statements: string
  /** The files and folders that the first statement names for all of them. */
  vulnerableCode: string | undefined
}

function keyedTexts(affected: readonly AffectedPackage[]): KeyedText[] {
  return [...Map.groupBy(affected, ({ key }) => key)].map(([key, entries]) => {
    const statements = entries.flatMap((entry) => entry.statements)
    const { vulnerableCode = [] } = statements[0] ?? {}
    return {
      key,
      productKey: dropVendor(key),
      statements: JSON.stringify(statements),
      vulnerableCode: vulnerableCode.length > 0 ? JSON.stringify(vulnerableCode) : undefined,
    }
  })
}

/** The column `affected` of a staged advisory. Its text decides whether the advisory has changed. */
export function writeAffectedText(keyed: readonly Omit<KeyedText, 'vulnerableCode'>[]): string {
  const items = keyed.map(({ key, productKey, statements }) => {
    const product = productKey === undefined ? '' : `"productKey":${JSON.stringify(productKey)},`
    return `{"key":${JSON.stringify(key)},${product}"statements":${statements}}`
  })
  return `[${items.join(',')}]`
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
  table: 'staged_advisories' | 'staged_kev' | 'staged_epss' | 'staged_euvd' | 'staged_support'
  row: string
}

export interface RecordPlace {
  /** Grows from record to record. */
  ordinal: number
  feedAt: string | undefined
}

export interface AdvisoryPlace extends RecordPlace {
  textHash: string | undefined
}

/** Undefined for a line that is not a record, such as the heading of a table. */
export function stageRecord(
  source: FeedSource,
  json: unknown,
  place: RecordPlace,
): StagedRecord | SkippedRecord | undefined {
  if (source === 'kev') return stagedKev(json, place)
  if (source === 'epss') return stagedEpss(json, place)
  if (source === 'euvd') return stagedEuvd(json, place)
  if (source === 'endoflife') {
    const product = parseSupportProduct(json)
    return product.ok ? stageSupport(product.value, place) : product
  }
  const parsed = parseAdvisory(source, json)
  return parsed.ok ? stageAdvisory(parsed.value, { ...place, textHash: undefined }) : parsed
}

export function stageAdvisory(advisory: Advisory, place: AdvisoryPlace): StagedRecord {
  return { table: 'staged_advisories', row: stagedAdvisoryRow(advisory, place) }
}

export const parseAdvisory = (source: AdvisorySource, json: unknown) => PARSERS[source](json)

const PARSERS: Record<AdvisorySource, (json: unknown) => ParsedRecord> = {
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

export const STAGED_SUPPORT_COLUMNS = [
  'ordinal',
  'name',
  'label',
  'link',
  'identifiers',
  'cycles',
  'gone_at',
  'feed_at',
] as const

/** `goneAt`: of a bundle, whose machine saw that the source lists the product no more. */
export function stageSupport(
  { name, label, link, identifiers, cycles }: SupportProduct,
  { ordinal, feedAt }: RecordPlace,
  goneAt?: string,
) {
  const texts = [JSON.stringify(identifiers), JSON.stringify(cycles)]
  const row = copyRow([ordinal, name, label, link, ...texts, goneAt, feedAt])
  return { table: 'staged_support' as const, row }
}

function stagedEpss(json: unknown, { ordinal, feedAt }: RecordPlace) {
  const parsed = parseEpss(json)
  if (parsed === undefined) return undefined
  if (!parsed.ok) return parsed
  const { cveId, epss, percentile } = parsed.value
  return { table: 'staged_epss' as const, row: copyRow([ordinal, cveId, epss, percentile, feedAt]) }
}
