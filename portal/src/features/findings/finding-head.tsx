import type { FindingDetail } from '@plimsoll/api-client'
import { Exploited, SeverityBadge } from '../../components/severity.tsx'
import { DevicesLink } from '../../components/devices-link.tsx'
import { Copyable } from '../../components/copyable.tsx'
import { Tag } from '../../components/tag.tsx'
import { formatPercent } from '../../format/counts.ts'
import { describeCvss } from '../../format/cvss-words.ts'
import { formatDate } from '../../format/dates.ts'
import css from './finding-parts.module.css'

/** What the vulnerability is, in one line of facts. */
export function FindingFacts({ finding }: { finding: FindingDetail }) {
  const { cve, exploitedSources, epssScore, epssPercentile, affectedDeviceCount } = finding
  const since = exploitedSources.map(({ dateAdded }) => dateAdded).toSorted()[0]
  const [score] = cve.cvssScores
  return (
    <div className={css['facts']}>
      {since !== undefined && <Exploited since={formatDate(since)} />}
      {finding.isDisputed && <Tag tone="warn">disputed</Tag>}
      <span>
        <SeverityBadge severity={cve.severity} />{' '}
        <strong>
          {cve.severity} {cve.primaryBaseScore ?? ''}
        </strong>{' '}
        {score && describeCvss(score.vectorString)}
      </span>
      {epssScore !== null && (
        <span title="The probability that it is exploited within 30 days, by FIRST's EPSS">
          EPSS <strong>{formatPercent(epssScore)}</strong>
          {epssPercentile !== null && ` ${percentileText(epssPercentile)}`}
        </span>
      )}
      <span>
        <DevicesLink of={{ version: finding.firmwareVersion.id }} count={affectedDeviceCount} /> now
      </span>
      <Copyable text={cve.id} label="CVE id" />
    </div>
  )
}

function percentileText(percentile: number): string {
  const rank = Math.floor(percentile * 100)
  const tail = rank % 10
  const ending =
    rank % 100 > 10 && rank % 100 < 14 ? 'th' : (['th', 'st', 'nd', 'rd'][tail] ?? 'th')
  return `${rank}${ending} percentile`
}
