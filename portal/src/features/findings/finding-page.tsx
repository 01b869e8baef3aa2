/** One finding in full: six answers. */
import type { FindingDetail } from '@plimsoll/api-client'
import { useQuery } from '@tanstack/react-query'
import { Link, useNavigate, useParams, useSearch } from '@tanstack/react-router'
import { findBlockingError } from '../../components/blocking-error.ts'
import { AroundVulnerability } from '../../components/advisories/around-vulnerability.tsx'
import { findVulnerabilityPage } from '../../components/addresses.ts'
import { UpstreamReports } from '../../components/cases/upstream-reports.tsx'
import { Discussion } from '../../components/discussion/discussion.tsx'
import { DayPicker } from '../../components/day-picker.tsx'
import { buildVulnerabilityReport } from '../../components/reports.ts'
import { SeverityBadge } from '../../components/severity.tsx'
import { FindingOwner } from '../../components/owners/finding-owner.tsx'
import { FailedPage } from '../../components/failed-page.tsx'
import { Loading } from '../../components/states.tsx'
import { TopBar } from '../../components/top-bar.tsx'
import { formatCountOf } from '../../format/counts.ts'
import { formatDate } from '../../format/dates.ts'
import { useWorkspaceId } from '../../session.ts'
import { DevicesLink } from '../../components/devices-link.tsx'
import { AcceptedRisk, DecidedLine } from './accepted-risk.tsx'
import { Answer } from './answer.tsx'
import { describeAssessment } from '../../components/decision/assessments.ts'
import { CopyLink } from '../../components/copyable.tsx'
import { Decide } from './decide.tsx'
import { Disagreements } from './disagreements.tsx'
import { DeployFix, Fixes, useFixes } from '../../components/fixes/fixes.tsx'
import { FindingFacts } from './finding-head.tsx'
import css from './finding-page.module.css'
import { History } from './history.tsx'
import { findingQuery, vulnerabilityQuery } from './queries.ts'
import { listScopes } from './decision-scope.ts'
import { Proposals } from './proposals.tsx'
import { References } from './references.tsx'
import { listEvents } from './timeline.ts'
import { Remedy } from './remedy.tsx'
import { Paths } from './affected-versions.tsx'
import { EvidencePanel } from './evidence-panel.tsx'

export function FindingPage() {
  const { findingId } = useParams({ from: '/w/$workspaceId/findings/$findingId' })
  const workspaceId = useWorkspaceId()
  const { asOf } = useSearch({ from: '/w/$workspaceId/findings/$findingId' })
  const navigate = useNavigate({ from: '/w/$workspaceId/findings/$findingId' })
  const query = useQuery(findingQuery(workspaceId, findingId, asOf))
  const { data, refetch } = query
  const error = findBlockingError(query)
  if (error) return <FailedPage title="Finding" error={error} onRetry={() => void refetch()} />
  if (!data) return <Loading rows={10} />
  return (
    <DayPicker
      asOf={asOf}
      unknown="devices, EPSS scores, and what records said then; what is marked as of now is of now"
      report={buildVulnerabilityReport(workspaceId, data.cve.id, asOf)}
      onBack={() => void navigate({ search: {}, replace: true })}
    >
      <Answers finding={data} asOf={asOf} />
    </DayPicker>
  )
}

/** What stands around the decision now: cases, advisories, proposals. */
function Around({ finding: { id, cve } }: { finding: FindingDetail }) {
  return (
    <>
      <AroundVulnerability cveId={cve.id} findingId={id} canDraft />
      <Proposals findingId={id} />
    </>
  )
}

/** Shows of a past state only what the finding itself tells: the rest is known only as it is now. */
function Answers({ finding, asOf }: { finding: FindingDetail; asOf: string | undefined }) {
  const workspaceId = useWorkspaceId()
  const isPast = asOf !== undefined
  const { cve, firmwareVersion } = finding
  const { data } = useQuery({ ...vulnerabilityQuery(workspaceId, cve.id), enabled: !isPast })
  const versionCount = isPast ? undefined : data?.firmwareVersionCount
  const fixes = useFixes(cve.id)?.filter(
    (fix) => fix.firmwareVersion.firmware.id === firmwareVersion.firmware.id,
  )
  return (
    <>
      <TopBar
        title={cve.id}
        trail={[
          <Link key="findings" to="/w/$workspaceId/findings" params={{ workspaceId }}>
            Findings
          </Link>,
          <Link key="vulnerability" {...findVulnerabilityPage(workspaceId, cve.id)}>
            {cve.id}
          </Link>,
        ]}
      >
        <code>
          {firmwareVersion.firmware.name} {firmwareVersion.name}
        </code>
      </TopBar>
      <header className={css['head']}>
        <h2>
          <SeverityBadge severity={cve.severity} /> {finding.name}
        </h2>
        <div>
          <FindingFacts finding={finding} />
          <FindingOwner of={finding} />
        </div>
        <div className={css['acts']}>
          <CopyLink />
          {!isPast && <DeployFix fixes={fixes} isPrimary />}
        </div>
      </header>
      <div className={css['answers']} data-scroll="">
        <Knowledge {...{ finding, asOf, fixes, versionCount }} />
        <div className={css['right']}>
          <Answer number={4} title="Decide" note={decidedNote(finding)}>
            {!isPast && <Around finding={finding} />}
            {!isPast && (
              <div className={css['card']}>
                <Decide
                  key={finding.id}
                  about={finding.id}
                  cveId={cve.id}
                  finding={finding}
                  reaches={listScopes(finding, data ?? { findings: [], findingCount: 0 })}
                  onDecided={() => undefined}
                  isTall
                />
              </div>
            )}
            <Earlier finding={finding} />
            {!isPast && <UpstreamReports cveId={cve.id} findingId={finding.id} />}
          </Answer>
          {!isPast && (
            <Answer number={5} title="Discussion" note="between colleagues, in no VEX document">
              <Discussion key={cve.id} cveId={cve.id} />
            </Answer>
          )}
          <Answer number={isPast ? 5 : 6} title="History">
            <History events={listEvents(finding)} />
          </Answer>
        </div>
      </div>
    </>
  )
}

interface KnowledgeProps {
  finding: FindingDetail
  asOf: string | undefined
  fixes: ReturnType<typeof useFixes>
  versionCount: number | undefined
}

/** Shows what is known of the finding. On a past day it names what is known only as it is now. */
function Knowledge({ finding, asOf, fixes, versionCount }: KnowledgeProps) {
  const { cve } = finding
  const isPast = asOf !== undefined
  const ofNow = isPast ? 'as the records are now' : undefined
  return (
    <div className={css['left']}>
      <Answer number={1} title="Why we think so" note={ofNow}>
        <EvidencePanel finding={finding} />
      </Answer>
      <Answer
        number={2}
        title="Where"
        note={isPast ? 'devices and SBOMs as they are now' : undefined}
      >
        <Where finding={finding} versionCount={versionCount} asOf={asOf} />
        <Paths finding={finding} />
      </Answer>
      <Answer number={3} title="What to do" note={ofNow}>
        <Remedy finding={finding} />
        {!isPast && fixes && (
          <Fixes fixes={fixes} cveId={cve.id} isFixNamed={finding.fixedVersions.length > 0} />
        )}
      </Answer>
      <Answer title="What the records say" note={ofNow}>
        <p className={css['description']}>{cve.description ?? 'No record describes it.'}</p>
        <References finding={finding} />
      </Answer>
    </div>
  )
}

/** This version, and the way to all others that have it. */
function Where({
  finding: { cve, firmwareVersion, affectedDeviceCount },
  versionCount,
  asOf,
}: {
  finding: FindingDetail
  versionCount: number | undefined
  asOf: string | undefined
}) {
  const workspaceId = useWorkspaceId()
  const others = Math.max(0, (versionCount ?? 1) - 1)
  return (
    <p>
      <Link
        to="/w/$workspaceId/versions/$versionId"
        params={{ workspaceId, versionId: firmwareVersion.id }}
      >
        {firmwareVersion.firmware.name} <code>{firmwareVersion.name}</code>
      </Link>{' '}
      on <DevicesLink of={{ version: firmwareVersion.id }} count={affectedDeviceCount} />
      {asOf !== undefined && ' now'}.{' '}
      <Link {...findVulnerabilityPage(workspaceId, cve.id)}>
        {others === 0
          ? 'All about it'
          : `${formatCountOf(others, 'other version')} ${others === 1 ? 'has' : 'have'} it too`}
      </Link>
    </p>
  )
}

function decidedNote({ assessment, ignored, acceptance, dueAt, overdue }: FindingDetail): string {
  if (ignored) {
    const until = acceptance?.until ?? null
    return until === null ? 'ignored' : `ignored until ${formatDate(until)}`
  }
  const due = dueAt === null ? '' : `, ${overdue ? 'was due' : 'due'} ${formatDate(dueAt)}`
  return `${describeAssessment(assessment).toLowerCase()}${due}`
}

/** What was decided before, and what documents say, as far as it differs. */
function Earlier({ finding }: { finding: FindingDetail }) {
  const { previousDecision: before, recheckReason, proposal } = finding
  return (
    <div className={css['earlier']}>
      <AcceptedRisk of={finding} />
      <DecidedLine of={finding} />
      {recheckReason !== null && <p>Check again: {recheckReason}</p>}
      {before && (
        <p>
          Earlier: {before.firmwareVersion.name} was “
          {before.ignored ? 'ignored' : describeAssessment(before.assessment)}” (
          {before.decidedByEmail ?? 'a document'}, {formatDate(before.decidedAt)}).
        </p>
      )}
      <Disagreements finding={finding} />
      {proposal && (
        <p>
          Proposed: {describeAssessment(proposal.assessment)}. {proposal.detail}
        </p>
      )}
    </div>
  )
}
