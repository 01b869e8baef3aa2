/** An advisory as the row that waits to be merged. */
import { createHash } from 'node:crypto'
import type { Advisory, AffectedPackage } from '../../formats/advisories/model.ts'
import { primaryScore } from '../../formats/advisories/severity.ts'
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

/** In the order of `STAGED_ADVISORY_COLUMNS`. */
export function stagedAdvisoryRow(
  advisory: Advisory,
  { ordinal, feedAt }: { ordinal: number; feedAt: string | undefined },
): string {
  const { affected, ...record } = advisory
  const { source, id, aliases, publishedAt, modifiedAt, withdrawnAt, statedSeverity } = record
  const score = primaryScore(record.scores)
  const recordJson = JSON.stringify(record)
  // A withdrawn record says nothing about any package.
  const affectedJson = JSON.stringify(withdrawnAt === undefined ? keyedAffected(affected) : [])
  const contentHash = createHash('sha256').update(recordJson).update(affectedJson).digest('hex')
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
