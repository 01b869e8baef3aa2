/** The columns of a version's findings. */
import type { VulnerabilityFinding } from '@plimsoll/api-client'
import { Link } from '@tanstack/react-router'
import { findVulnerabilityPage } from '../../../components/addresses.ts'
import type { Column } from '../../../components/data-table.tsx'
import { ASSESSMENTS } from '../../../components/decision/assessments.ts'
import { Exploited, SeverityBadge } from '../../../components/severity.tsx'
import { Dot, Tag } from '../../../components/tag.tsx'
import { Time } from '../../../components/time.tsx'
import { formatPercent } from '../../../format/counts.ts'
import { useWorkspaceId } from '../../../session.ts'

function Decision({ finding }: { finding: VulnerabilityFinding }) {
  const { assessment, ignored } = finding
  const words = ASSESSMENTS.find(({ value }) => value === assessment)
  if (ignored) return <Dot tone="muted">Ignored</Dot>
  return (
    <Dot tone={words?.tone ?? 'muted'} isHollow={assessment === 'NotAssessed'}>
      {words?.text}
    </Dot>
  )
}

/** The row leads to the finding of this version, its CVE to all about it. */
function CveLink({ cveId }: { cveId: string }) {
  const workspaceId = useWorkspaceId()
  return (
    <Link {...findVulnerabilityPage(workspaceId, cveId)}>
      <code>{cveId}</code>
    </Link>
  )
}

export const COLUMNS: readonly Column<VulnerabilityFinding>[] = [
  {
    id: 'severity',
    title: <span className="visually-hidden">Severity</span>,
    width: '20px',
    cell: ({ severity }) => <SeverityBadge severity={severity} />,
  },
  {
    id: 'cve',
    title: 'Vulnerability',
    width: '150px',
    sort: 'CveId',
    cell: ({ cveId }) => <CveLink cveId={cveId} />,
  },
  {
    id: 'name',
    title: 'Title',
    width: 'minmax(0, 3fr)',
    cell: ({ name, confidence, isDisputed }) => (
      <>
        {name} {isDisputed && <Tag tone="warn">disputed</Tag>}{' '}
        {confidence === 'Low' && <Tag tone="warn">low confidence</Tag>}
      </>
    ),
  },
  {
    id: 'package',
    title: 'Package',
    width: 'minmax(0, 1.4fr)',
    sort: 'ComponentName',
    cell: ({ componentName, componentVersion, componentSource }) => (
      <>
        <code>
          {componentName} {componentVersion}
        </code>
        {componentSource ? `, of ${componentSource}` : null}
      </>
    ),
  },
  {
    id: 'kev',
    title: 'Known exploited',
    width: '110px',
    cell: ({ exploitedSources, isKnownCisaExploit }) =>
      (exploitedSources.length > 0 || isKnownCisaExploit) && <Exploited />,
  },
  {
    id: 'epss',
    title: 'EPSS',
    width: '80px',
    isNumber: true,
    sort: 'EpssScore',
    cell: ({ epssScore }) => (epssScore === null ? '' : formatPercent(epssScore)),
  },
  {
    id: 'assessment',
    title: 'Assessment',
    width: '130px',
    sort: 'Assessment',
    cell: (finding) => <Decision finding={finding} />,
  },
  {
    id: 'age',
    title: 'Age',
    width: '56px',
    isNumber: true,
    sort: 'DetectedAt',
    cell: ({ detectedAt }) => <Time at={detectedAt} as="age" />,
  },
]
