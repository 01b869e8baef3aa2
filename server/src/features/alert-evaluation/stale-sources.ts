/** Finds the vulnerability sources a rule watches that have not been read completely for too long. */
import type { FeedSource } from '../../formats/feed-files.ts'
import { parseDuration, type SourceStaleCondition } from '../alert-rules/index.ts'
import type { RuleVerdict } from './evaluation.ts'
import { findMax, findMin } from '../../formats/extremes.ts'

export interface SourceHealth {
  source: FeedSource
  /** By the service's own setting. */
  isStale: boolean
  /** Since the last complete success; null: there was none. */
  ageSeconds: number | null
}

const NAMES: Record<FeedSource, string> = {
  cvelist: 'CVE List',
  nvd: 'NVD',
  osv: 'OSV',
  kev: 'CISA KEV',
  epss: 'EPSS',
  euvd: 'ENISA EUVD',
  endoflife: 'endoflife.date',
  csaf: 'VEX of distributions (CSAF)',
}

/** A source that the rule names and that is switched off is stale: it is never fetched. */
export function judgeStaleSources(
  { sources, olderThan }: SourceStaleCondition,
  { health, enabled }: { health: readonly SourceHealth[]; enabled: readonly FeedSource[] },
): RuleVerdict {
  const isEnabled = ({ source }: SourceHealth) => enabled.includes(source)
  const isOld = ({ ageSeconds, isStale }: SourceHealth) =>
    olderThan === null ? isStale : ageSeconds === null || ageSeconds > parseDuration(olderThan)
  const watched = health.filter((one) =>
    sources.length === 0 ? isEnabled(one) : sources.includes(one.source),
  )
  const ages = watched.map(ageHours).filter((age) => age !== null)
  return {
    meeting: watched
      .filter((one) => !isEnabled(one) || isOld(one))
      .map((one) => ({ series: one.source, label: NAMES[one.source], value: ageHours(one) })),
    kept: [],
    seriesCount: watched.length,
    // A rule that watches no source has a status of Ok, not NoData.
    valueCount: Math.max(watched.length, 1),
    lowest: ages.length === 0 ? null : findMin(ages),
    highest: ages.length === 0 ? null : findMax(ages),
  }
}

function ageHours({ ageSeconds }: SourceHealth): number | null {
  return ageSeconds === null ? null : Math.round(ageSeconds / 36) / 100
}
