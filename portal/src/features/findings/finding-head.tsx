import type { FindingDetail } from '@plimsoll/api-client'
import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { Exploited, SeverityBadge } from '../../components/severity.tsx'
import { usePast } from '../../components/past.ts'
import { SsvcDecision } from '../../components/ssvc/ssvc-decision.tsx'
import { DevicesLink } from '../../components/devices-link.tsx'
import { Copyable } from '../../components/copyable.tsx'
import { Tag } from '../../components/tag.tsx'
import { formatPercent } from '../../format/counts.ts'
import { describeCvss } from '../../format/cvss-words.ts'
import { useWorkspaceId } from '../../session.ts'
import { formatDate } from '../../format/dates.ts'
import { formatSource } from '../../format/sources.ts'
import css from './finding-parts.module.css'

/** What lists and scores say of a vulnerability. */
type Scored = Pick<
  FindingDetail,
  'exploitedSources' | 'epssScore' | 'epssPercentile' | 'isDisputed'
> & { cve: Pick<FindingDetail['cve'], 'severity' | 'primaryBaseScore' | 'cvssScores' | 'ssvc'> }

interface FactsProps {
  of: Scored
  /** In place of what records publish for SSVC. */
  ssvc?: ReactNode
  children?: ReactNode
}

/** What the vulnerability is, in one line of facts; what is not known is said. */
export function VulnerabilityFacts({ of, ssvc, children }: FactsProps) {
  const { cve, exploitedSources, epssScore, epssPercentile, isDisputed } = of
  const since = exploitedSources.map(({ dateAdded }) => dateAdded).toSorted()[0]
  const lists = exploitedSources.map(({ source }) => formatSource(source)).join(', ')
  const [score] = cve.cvssScores
  const isPast = usePast() !== undefined
  return (
    <div className={css['facts']}>
      {since !== undefined && (
        <span>
          <Exploited since={formatDate(since)} /> {lists}
        </span>
      )}
      {isDisputed && <Tag tone="warn">disputed</Tag>}
      <span>
        <SeverityBadge severity={cve.severity} />{' '}
        <strong>
          {cve.severity} {cve.primaryBaseScore ?? ''}
        </strong>{' '}
        {score ? describeCvss(score.vectorString) : 'no score is published'}
        {isPast && ' as the records are now'}
      </span>
      {epssScore === null ? (
        <span>{isPast ? 'EPSS score of then: not known' : 'no EPSS score'}</span>
      ) : (
        <span title="The probability that it is exploited within 30 days, by FIRST's EPSS">
          EPSS <strong>{formatPercent(epssScore)}</strong>
          {epssPercentile !== null && ` ${percentileText(epssPercentile)}`}
        </span>
      )}
      {ssvc ?? <PublishedSsvc published={cve.ssvc} />}
      {children}
    </div>
  )
}

const EXPLOITATION: Record<string, string> = {
  none: 'no exploit known',
  poc: 'an exploit is public',
  active: 'exploited',
}

/** The decision points in words (SSVC, CISA's vulnrichment). */
function PublishedSsvc({ published: [first] }: { published: FindingDetail['cve']['ssvc'] }) {
  const isPast = usePast() !== undefined
  if (!first || isPast) return null
  const { exploitation, automatable, technicalImpact } = first
  const words = [
    exploitation === null ? '' : (EXPLOITATION[exploitation] ?? exploitation),
    automatable === 'yes' ? 'automatable' : automatable === 'no' ? 'not automatable' : '',
    technicalImpact === null ? '' : `${technicalImpact} impact`,
  ]
  return (
    <span>
      <strong>SSVC</strong> {words.filter((word) => word !== '').join(', ')}
    </span>
  )
}

function Decided({ decision }: { decision: NonNullable<FindingDetail['ssvcDecision']> }) {
  const workspaceId = useWorkspaceId()
  return (
    <SsvcDecision
      decision={decision}
      stateIt={(part) => (
        <Link to="/w/$workspaceId/settings/ssvc" params={{ workspaceId }} hash={part}>
          State it
        </Link>
      )}
    />
  )
}

interface FindingFactsProps {
  finding: FindingDetail
  /** In place of the devices of its version, where it speaks for all findings of the vulnerability. */
  devices?: ReactNode
}

/** The same for a finding, with the devices of its version. */
export function FindingFacts({ finding, devices }: FindingFactsProps) {
  const { cve, firmwareVersion, affectedDeviceCount, ssvcDecision } = finding
  return (
    <VulnerabilityFacts of={finding} ssvc={ssvcDecision && <Decided decision={ssvcDecision} />}>
      <span>
        {devices ?? (
          <>
            <DevicesLink of={{ version: firmwareVersion.id }} count={affectedDeviceCount} /> now
          </>
        )}
      </span>
      <Copyable text={cve.id} label="CVE id" />
    </VulnerabilityFacts>
  )
}

function percentileText(percentile: number): string {
  const rank = Math.floor(percentile * 100)
  const tail = rank % 10
  const ending =
    rank % 100 > 10 && rank % 100 < 14 ? 'th' : (['th', 'st', 'nd', 'rd'][tail] ?? 'th')
  return `${rank}${ending} percentile`
}
