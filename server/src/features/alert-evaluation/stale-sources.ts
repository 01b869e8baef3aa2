/** Which vulnerability sources a rule looks at, and which of them bring nothing new any more. */
import type { FeedSource } from '../../formats/feed-files.ts'
import { durationSeconds, type SourceStaleCondition } from '../alert-rules/index.ts'

export interface SourceHealth {
  source: FeedSource
  /** By the service's own setting. */
  isStale: boolean
  /** Since its last complete success; null: there was none. */
  ageSeconds: number | null
}

export interface JudgedSource {
  source: FeedSource
  name: string
  ageHours: number | null
  isStale: boolean
}

const NAMES: Record<FeedSource, string> = {
  cvelist: 'CVE List',
  nvd: 'NVD',
  osv: 'OSV',
  kev: 'CISA KEV',
  epss: 'EPSS',
}

/** A source that is named and switched off counts as stale: nobody fetches what the rule is to watch over. */
export function judgeSources(
  { sources, olderThan }: SourceStaleCondition,
  { health, switchedOn }: { health: readonly SourceHealth[]; switchedOn: readonly FeedSource[] },
): JudgedSource[] {
  const isOn = ({ source }: SourceHealth) => switchedOn.includes(source)
  const isOld = ({ ageSeconds, isStale }: SourceHealth) =>
    olderThan === null ? isStale : ageSeconds === null || ageSeconds > durationSeconds(olderThan)
  return health
    .filter((one) => (sources.length === 0 ? isOn(one) : sources.includes(one.source)))
    .map((one) => ({
      source: one.source,
      name: NAMES[one.source],
      ageHours: one.ageSeconds === null ? null : Math.round(one.ageSeconds / 36) / 100,
      isStale: !isOn(one) || isOld(one),
    }))
}
