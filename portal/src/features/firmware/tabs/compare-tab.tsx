/** What a version fixed and what it brought, against another of the same firmware. */
import type { FirmwareVersion, FirmwareVersionDiff } from '@plimsoll/api-client'
import { Select } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { findBlockingError } from '../../../components/blocking-error.ts'
import { DraftAdvisory } from '../../../components/advisories/draft-advisory.tsx'
import { findVulnerabilityPage } from '../../../components/addresses.ts'
import { DeployVersion } from '../../../components/create-deployment.tsx'
import { describeLicenceChange } from '../../../components/licences/licence-change.ts'
import { describeSupportChange } from '../../../components/support/support-words.ts'
import { Panel } from '../../../components/panel.tsx'
import { Exploited, SeverityBadge } from '../../../components/severity.tsx'
import { Empty, Failure, Loading } from '../../../components/states.tsx'
import { formatCountOf, formatCount } from '../../../format/counts.ts'
import { useWorkspaceId } from '../../../session.ts'
import { versionsQuery } from '../../../workspace-queries.ts'
import { diffQuery } from '../queries.ts'
import {
  countDifferences,
  DiffBar,
  type DiffedFinding,
  findPredecessor,
  listDiffCounts,
  splitDifferences,
} from '../diff-counts.tsx'
import { describeNet } from '../net-sentence.ts'
import css from '../version-page.module.css'
import own from './compare-tab.module.css'

interface CompareTabProps {
  version: FirmwareVersion
  base: string | undefined
  onBase: (base: string) => void
}

export default function CompareTab({ version, base, onBase }: CompareTabProps) {
  const workspaceId = useWorkspaceId()
  const query = useQuery(versionsQuery(workspaceId, version.firmware.id))
  const { data, refetch } = query
  const failed = findBlockingError(query)
  const versions = data?.firmwareVersions ?? []
  const others = versions.filter(({ id }) => id !== version.id)
  const chosen = base ?? findPredecessor(version, others)?.id ?? others[0]?.id
  if (failed) return <Failure error={failed} onRetry={() => void refetch()} />
  if (data && others.length === 0)
    return (
      <Empty title="Nothing to compare with">
        This is the only version of {version.firmware.name}.
      </Empty>
    )
  return (
    <>
      <div className={css['row']}>
        <span>
          What <code>{version.name}</code> changes against
        </span>
        <Select
          aria-label="Compared with"
          data={others.map(({ id, name }) => ({ value: id, label: name }))}
          value={chosen ?? null}
          onChange={(id) => id !== null && onBase(id)}
          searchable
        />
      </div>
      {chosen !== undefined && (
        <Comparison versionId={version.id} base={chosen} versions={versions} />
      )}
    </>
  )
}

interface ComparisonProps {
  versionId: string
  base: string
  versions: readonly { id: string; name: string; sbomCount: number }[]
}

function Comparison({ versionId, base, versions }: ComparisonProps) {
  const workspaceId = useWorkspaceId()
  const query = useQuery(diffQuery(workspaceId, versionId, base))
  const { data, refetch } = query
  const error = findBlockingError(query)
  if (error) return <Failure error={error} onRetry={() => void refetch()} />
  const unread = versions.find((one) => one.sbomCount === 0 && [versionId, base].includes(one.id))
  if (unread)
    return (
      <Empty title="Not known without an SBOM">
        {unread.name} has none, so that nobody can say what is new and what is fixed.
      </Empty>
    )
  return data ? (
    <Differences diff={data} versionId={versionId} baseId={base} />
  ) : (
    <Loading rows={6} />
  )
}

interface DifferencesProps {
  diff: FirmwareVersionDiff
  versionId: string
  baseId: string
}

function Differences({ diff, versionId, baseId }: DifferencesProps) {
  const differences = splitDifferences(diff)
  const counted = countDifferences(differences)
  return (
    <>
      <Panel
        title={describeNet(counted)}
        aside={
          <>
            {differences.fixed.length > 0 && (
              <DraftAdvisory
                source={{ fromVersionId: baseId, toVersionId: versionId }}
                size="small"
              />
            )}
            <DeployVersion versionId={versionId} />
          </>
        }
      >
        <DiffBar counted={counted} />
        <p className={css['net']}>
          {listDiffCounts(counted).map(({ name, count }) => (
            <span key={name}>
              {name} {formatCount(count)}
            </span>
          ))}
          <span>
            {formatCountOf(diff.components.added.length, 'component')} added,{' '}
            {formatCount(diff.components.removed.length)} removed,{' '}
            {formatCount(diff.components.changed.length)} of another version
          </span>
          {[describeSupportChange(diff.support), describeLicenceChange(diff.licences)].map(
            (told) => told !== undefined && <span key={told}>{told}</span>,
          )}
        </p>
      </Panel>
      <div className={own['pair']}>
        <FindingsPanel title="New" findings={differences.introduced} />
        <FindingsPanel title="Fixed" findings={differences.fixed} />
      </div>
      {differences.decidedOtherwise.length > 0 && (
        <FindingsPanel title="Decided otherwise" findings={differences.decidedOtherwise} />
      )}
      <Components diff={diff} />
    </>
  )
}

const SHOWN = 200

interface FindingsPanelProps {
  title: string
  findings: readonly DiffedFinding[]
}

function FindingsPanel({ title, findings }: FindingsPanelProps) {
  const workspaceId = useWorkspaceId()
  return (
    <Panel title={title} note={formatCountOf(findings.length, 'finding')} isFlush>
      {findings.length === 0 && <p className={own['none']}>none</p>}
      <ul className={own['list']}>
        {findings.slice(0, SHOWN).map((finding) => (
          <li key={`${finding.cveId} ${finding.componentName} ${finding.componentVersion ?? ''}`}>
            <SeverityBadge severity={finding.severity} />
            <Link {...findVulnerabilityPage(workspaceId, finding.cveId)}>
              <code>{finding.cveId}</code>
            </Link>
            <span>{finding.name}</span>
            {finding.isKnownCisaExploit && <Exploited />}
            {finding.finding !== null && finding.baseFinding !== null && (
              <span>{finding.finding.isActive ? 'open here, decided there' : 'decided here'}</span>
            )}
            <code>{finding.componentName}</code>
          </li>
        ))}
      </ul>
      {findings.length > SHOWN && (
        <p className={own['none']}>and {formatCount(findings.length - SHOWN)} more</p>
      )}
    </Panel>
  )
}

function Components({ diff: { components } }: { diff: FirmwareVersionDiff }) {
  const rows = [
    ...components.changed.map(({ name, from, to }) => ({
      name,
      text: `${from ?? '?'} → ${to ?? '?'}`,
    })),
    ...components.added.map(({ name, version }) => ({
      name,
      text: `new, ${version ?? 'no version'}`,
    })),
    ...components.removed.map(({ name, version }) => ({
      name,
      text: `gone, was ${version ?? 'without version'}`,
    })),
  ]
  return (
    <Panel title="Components" note={formatCountOf(rows.length, 'change')} isFlush>
      <ul className={own['list']}>
        {rows.slice(0, SHOWN).map(({ name, text }) => (
          <li key={`${name} ${text}`}>
            <strong>{name}</strong>
            <code>{text}</code>
          </li>
        ))}
      </ul>
      {rows.length > SHOWN && (
        <p className={own['none']}>and {formatCount(rows.length - SHOWN)} more</p>
      )}
    </Panel>
  )
}
