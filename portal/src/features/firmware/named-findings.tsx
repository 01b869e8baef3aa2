/** The vulnerabilities by which a rule of the gate does not pass: two by name, and how many more. */
import type { FirmwareVersion } from '@plimsoll/api-client'
import { useInfiniteQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { findVulnerabilityPage } from '../../components/addresses.ts'
import { formatCount } from '../../format/counts.ts'
import { useWorkspaceId } from '../../session.ts'
import { type VersionFilter, versionFindingsQuery } from './queries.ts'

type Rule = FirmwareVersion['mark']['reasons'][number]['rule']

const UNDECIDED = {
  activeOnly: true,
  ignored: false,
  assessments: ['NotAssessed', 'InTriage'],
} satisfies VersionFilter

/** What each rule counts, as a filter of the version's findings. */
const FILTERS: Partial<Record<Rule, VersionFilter>> = {
  KnownExploited: { activeOnly: true, exploited: true },
  UndecidedCritical: { ...UNDECIDED, severities: ['Critical'] },
  UndecidedHigh: { ...UNDECIDED, severities: ['High'] },
  UnknownSeverity: { activeOnly: true, severities: ['Unknown'] },
}

const NAMED = 2

export function NamedFindings({ versionId, rule }: { versionId: string; rule: Rule }) {
  const filter = FILTERS[rule]
  return filter === undefined ? null : <Names versionId={versionId} filter={filter} />
}

function Names({ versionId, filter }: { versionId: string; filter: VersionFilter }) {
  const workspaceId = useWorkspaceId()
  const { data } = useInfiniteQuery(
    versionFindingsQuery(workspaceId, versionId, { filter, sortColumn: 'Risk', ascending: false }),
  )
  const page = data?.pages[0]
  if (page === undefined) return null
  const cveIds = [...new Set(page.findings.map(({ cveId }) => cveId))]
  const more = cveIds.length - NAMED
  // One vulnerability can be found in several packages, so how many there are is known only when all are here.
  const isWhole = page.findings.length === page.totalCount
  return (
    <>
      {cveIds.slice(0, NAMED).map((cveId, index) => (
        <span key={cveId}>
          {index === 0 ? ': ' : ', '}
          <Link {...findVulnerabilityPage(workspaceId, cveId)}>
            <code>{cveId}</code>
          </Link>
        </span>
      ))}
      {more > 0 && (isWhole ? ` and ${formatCount(more)} more` : ' and more')}
    </>
  )
}
