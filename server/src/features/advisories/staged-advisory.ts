/** An advisory as the row that waits to be merged. */
import { createHash } from 'node:crypto'
import type {
  Advisory,
  AffectedPackage,
  AffectedStatement,
} from '../../formats/advisories/model.ts'
import { primaryScore } from '../../formats/advisories/severity.ts'
import type { AdvisoryLine } from './bundle-lines.ts'
import { copyRow, textArray } from './copy-text.ts'
import { evidencedCveIds, linkedIds } from './identity-links.ts'
import { advisoryName } from './narrow-row.ts'
import { productKeyOf } from '../../formats/advisories/keys.ts'

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

export function stagedAdvisoryRow(
  advisory: Advisory,
  { ordinal, feedAt }: { ordinal: number; feedAt: string | undefined },
): string {
  const { affected, ...record } = advisory
  const recordJson = JSON.stringify(record)
  // A withdrawn record says nothing about any package.
  const keyed = record.withdrawnAt === undefined ? keyedAffected(affected) : []
  const affectedJson = JSON.stringify(keyed)
  const contentHash = createHash('sha256').update(recordJson).update(affectedJson).digest('hex')
  return advisoryRow(advisory, { ordinal, feedAt, recordJson, affectedJson, contentHash })
}

/** The hash is that of the text the source published, which jsonb does not give back to the letter. */
export function bundledAdvisoryRow(
  { record, affected, hash, feedAt }: AdvisoryLine,
  ordinal: number,
): string {
  // What statements hold beyond what was checked is kept as it is: they were written by this program.
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
    contentHash: hash,
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

/** One entry a key, as the table has it. */
function keyedAffected(affected: readonly AffectedPackage[]) {
  return [...Map.groupBy(affected, ({ key }) => key)].map(([key, entries]) => ({
    key,
    productKey: productKeyOf(key),
    statements: entries.flatMap(({ statements }) => statements),
  }))
}
