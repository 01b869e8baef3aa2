/** The columns of a version's findings. */
import type { FindingFix, VulnerabilityFinding } from '@plimsoll/api-client'
import { Link } from '@tanstack/react-router'
import { findVulnerabilityPage } from '../../../components/addresses.ts'
import type { Column } from '../../../components/data-table.tsx'
import { ASSESSMENTS } from '../../../components/decision/assessments.ts'
import { Exploited, SeverityBadge } from '../../../components/severity.tsx'
import { describeOutcome } from '../../../components/ssvc/outcome.ts'
import { Dot, Tag } from '../../../components/tag.tsx'
import { Time } from '../../../components/time.tsx'
import { formatPercent } from '../../../format/counts.ts'
import { useWorkspaceId } from '../../../session.ts'
import css from '../version-page.module.css'

/** Whether there are later versions of the firmware that could hold the fix. */
export type FixOfRow = FindingFix & { hasLater: boolean }

/** A finding with where it ends; undefined: that is not here yet, or the row is of the past. */
export interface FindingRow extends VulnerabilityFinding {
  fix: FixOfRow | undefined
}

/** The first version that records name, and how many more; a component may have several branches. */
function FixedIn({ fix }: { fix: FixOfRow | undefined }) {
  if (!fix) return null
  const { fixedVersions } = fix
  const [first] = fixedVersions
  if (first === undefined) return <span className={css['quiet']}>none named</span>
  return (
    <span title={fixedVersions.join(', ')}>
      <code>{first}</code>
      {fixedVersions.length > 1 && ` +${fixedVersions.length - 1}`}
    </span>
  )
}

/** The first version of ours from which on none has it. */
function FixedInOurs({ fix }: { fix: FixOfRow | undefined }) {
  const workspaceId = useWorkspaceId()
  if (!fix) return null
  const { fixedIn, hasLater } = fix
  if (fixedIn)
    return (
      <Link
        to="/w/$workspaceId/versions/$versionId"
        params={{ workspaceId, versionId: fixedIn.id }}
      >
        <code>{fixedIn.name}</code>
      </Link>
    )
  return <span className={css['quiet']}>{hasLater ? 'none yet' : 'none later'}</span>
}

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

export const COLUMNS: readonly Column<FindingRow>[] = [
  {
    id: 'severity',
    title: <span className="visually-hidden">Severity</span>,
    width: '20px',
    cell: ({ severity }) => <SeverityBadge severity={severity} />,
  },
  {
    id: 'cve',
    title: 'Vulnerability',
    width: '140px',
    sort: 'CveId',
    cell: ({ cveId }) => <CveLink cveId={cveId} />,
  },
  {
    id: 'name',
    title: 'Title',
    width: 'minmax(0, 2.6fr)',
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
    width: 'minmax(0, 1.6fr)',
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
    id: 'fixed',
    title: 'Fixed in',
    width: '98px',
    cell: ({ fix }) => <FixedIn fix={fix} />,
    isWideOnly: true,
  },
  {
    id: 'ours',
    title: 'Ours',
    width: '62px',
    cell: ({ fix }) => <FixedInOurs fix={fix} />,
    isWideOnly: true,
  },
  {
    id: 'kev',
    title: 'Exploited',
    width: '82px',
    cell: ({ exploitedSources, isKnownCisaExploit }) =>
      (exploitedSources.length > 0 || isKnownCisaExploit) && <Exploited />,
  },
  {
    id: 'epss',
    title: 'EPSS',
    width: '64px',
    isNumber: true,
    sort: 'EpssScore',
    cell: ({ epssScore }) => (epssScore === null ? '' : formatPercent(epssScore)),
  },
  {
    id: 'ssvc',
    title: 'SSVC',
    width: '104px',
    sort: 'Ssvc',
    cell: (finding) => describeOutcome(finding),
    isWideOnly: true,
  },
  {
    id: 'assessment',
    title: 'Assessment',
    width: '120px',
    sort: 'Assessment',
    cell: (finding) => <Decision finding={finding} />,
  },
  {
    id: 'owner',
    title: 'Owner',
    width: '110px',
    cell: ({ owners }) => {
      const names = owners.map(({ name }) => name).join(', ')
      return <span title={names}>{names}</span>
    },
    isWideOnly: true,
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
