import { Link } from '@tanstack/react-router'
import { findVulnerabilityPage } from '../../components/addresses.ts'
import { useState } from 'react'
import { Button } from '../../components/button.tsx'
import { Exploited, SeverityBadge } from '../../components/severity.tsx'
import { formatCountOf, formatCount } from '../../format/counts.ts'
import { useWorkspaceId } from '../../session.ts'
import css from './deployments.module.css'
import type { RemovedFindings } from './queries.ts'

const SHOWN = 5

/** Findings that come or go with a deployment, the exploited first, each with its devices. */
export function NetList({ net, title }: { net: RemovedFindings; title: string }) {
  const workspaceId = useWorkspaceId()
  const [showsAll, setShowsAll] = useState(false)
  const { count, knownExploited, findings } = net
  if (count === 0) return null
  const shown = showsAll ? findings : findings.slice(0, SHOWN)
  return (
    <section>
      <h3>{title}</h3>
      <p className={css['note']}>
        {[
          knownExploited > 0 && `${formatCount(knownExploited)} of them exploited`,
          ...net.countsBySeverity.map(
            ({ severity, count: of }) => of > 0 && `${formatCount(of)} ${severity}`,
          ),
        ]
          .filter((part) => part !== false)
          .join(', ')}
      </p>
      <ul className={css['net']}>
        {shown.map((finding) => (
          <li key={finding.id}>
            <SeverityBadge severity={finding.severity} />
            <Link {...findVulnerabilityPage(workspaceId, finding.cveId)}>
              <code>{finding.cveId}</code>
            </Link>
            <span>
              {finding.componentName} {finding.componentVersion}
            </span>
            <span>{finding.isKnownCisaExploit && <Exploited />}</span>
            <span className="numbers">{formatCountOf(finding.deviceCount, 'device')}</span>
          </li>
        ))}
      </ul>
      {!showsAll && findings.length > SHOWN && (
        <Button size="small" kind="quiet" onClick={() => setShowsAll(true)}>
          Show {findings.length < count ? `the worst ${findings.length} of` : 'all'}{' '}
          {formatCount(count)}
        </Button>
      )}
    </section>
  )
}
