import type { AlertRuleDryRun } from '@plimsoll/api-client'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { describeFailure } from '../../components/states.tsx'
import { formatCountOf, formatCount, formatPercent } from '../../format/counts.ts'
import { formatDateTime } from '../../format/dates.ts'
import { useWorkspaceId } from '../../session.ts'
import css from './alerts.module.css'
import { dryRunQuery, type Trial } from './queries.ts'
import type { RuleType } from './rule-plan.ts'
import { nameDays } from './rule-words.ts'

/** What the rule would have done: a sentence, the time as a strip, and what would have fired. */
export function DryRunResult({ trial }: { trial: Trial }) {
  const { rule, days } = trial
  const workspaceId = useWorkspaceId()
  const { data, error, isFetching } = useQuery({
    ...dryRunQuery(workspaceId, trial),
    placeholderData: keepPreviousData,
  })
  if (!rule) return <p className={css['note']}>Fill in the rest to see what it would have done.</p>
  if (error) return <p className={css['note']}>It could not be tried: {describeFailure(error)}</p>
  if (!data) return <p className={css['note']}>Trying it on {nameDays(days)}…</p>
  return (
    <section className={`${css['dryRun']} ${isFetching ? css['old'] : ''}`} role="status">
      <p>{describeRun(data, days)}</p>
      <ol className={css['strip']}>
        {data.timeline.map(({ from, to, status, firingCount }) => (
          <li
            key={from}
            className={css[status]}
            style={{ flexGrow: new Date(to).getTime() - new Date(from).getTime() }}
            title={`${formatDateTime(from)} to ${formatDateTime(to)}: ${firingCount} firing`}
          />
        ))}
      </ol>
      <Firing dryRun={data} type={rule.type} />
    </section>
  )
}

/** When it would fire, in a sentence, as soon as it is filled in. */
export function RuleSentence({ trial }: { trial: Trial }) {
  const { data } = useQuery({
    ...dryRunQuery(useWorkspaceId(), trial),
    placeholderData: keepPreviousData,
  })
  if (!trial.rule || !data) return <p className={css['sentence']}>What is to be watched?</p>
  return <p className={css['sentence']}>{data.conditionText}.</p>
}

function describeRun(dryRun: AlertRuleDryRun, days: number): string {
  const { incidents, seriesCount, firingSeriesCount, evaluations } = dryRun
  const time = nameDays(days)
  if (evaluations.count === 0) return `In ${time} there was nothing to look at.`
  const all = formatCountOf(seriesCount, 'series', 'series')
  const told =
    incidents.length === 0
      ? `In ${time} it would not have fired, over ${all}`
      : `In ${time} it would have fired ${formatCountOf(incidents.length, 'time')}, for ${firingSeriesCount} of ${all}`
  return evaluations.noData === 0
    ? `${told}.`
    : `${told}; ${formatPercent(evaluations.noData / evaluations.count)} of the time there was no data.`
}

const MOST_NAMED = 5

function Firing({ dryRun, type }: { dryRun: AlertRuleDryRun; type: RuleType }) {
  const named = dryRun.firingSeries.slice(0, MOST_NAMED)
  const more = dryRun.firingSeriesCount - named.length
  if (named.length === 0) return null
  return (
    <p className={css['note']}>
      {named.map(({ series, label }, index) => (
        <span key={series}>
          {index > 0 && ', '}
          <SeriesName type={type} series={series} label={label} />
        </span>
      ))}
      {more > 0 && ` and ${formatCount(more)} more`}
    </p>
  )
}

interface SeriesNameProps {
  type: RuleType
  series: string
  label: string | null
}

const nameSeries = (series: string, label: string | null) =>
  label ?? (series === '' ? 'all devices together' : series)

interface NamedSeries {
  series: string
  children: string
}

/** What is firing, with a link where it has a page of its own. */
export function SeriesName({ type, series, label }: SeriesNameProps) {
  const name = nameSeries(series, label)
  if (series === '') return name
  const Name = NAMES[type]
  return <Name series={series}>{name}</Name>
}

const NAMES: Record<RuleType, (named: NamedSeries) => ReactNode> = {
  DeviceOffline: (named) => <DeviceName {...named} />,
  MetricFixedThreshold: (named) => <DeviceName {...named} tab="metrics" />,
  MetricPercentualThreshold: (named) => <DeviceName {...named} tab="metrics" />,
  NewVulnerabilityFinding: FindingName,
  UrgentVulnerabilityFinding: FindingName,
  LicenceDenied: LicenceName,
  NewCrash: CrashName,
  CrashRate: CrashName,
  CaseDeadline: DeadlineName,
  SupportEnding: SupportName,
  CertificateEnding: CertificateName,
  OldDeviceKey: KeyName,
  ComponentSupportEnding: ({ children }) => children,
  DeploymentFailureRate: ({ children }) => children,
  VulnerabilitySourceStale: ({ children }) => children,
}

function DeviceName({ series, children, tab }: NamedSeries & { tab?: 'metrics' | 'registration' }) {
  return (
    <Link
      to="/w/$workspaceId/devices/$deviceId"
      params={{ workspaceId: useWorkspaceId(), deviceId: series }}
      search={tab === undefined ? {} : { tab }}
    >
      {children}
    </Link>
  )
}

function FindingName({ series, children }: NamedSeries) {
  const workspaceId = useWorkspaceId()
  return (
    <Link to="/w/$workspaceId/findings/$findingId" params={{ workspaceId, findingId: series }}>
      {children}
    </Link>
  )
}

/** Of a series that is a version and a group of crashes. */
function CrashName({ series, children }: NamedSeries) {
  return (
    <Link
      to="/w/$workspaceId/crashes/$crashGroupId"
      params={{ workspaceId: useWorkspaceId(), crashGroupId: series.replace(/.*\//, '') }}
    >
      {children}
    </Link>
  )
}

function LicenceName({ series, children }: NamedSeries) {
  return (
    <Link
      to="/w/$workspaceId/versions/$versionId"
      params={{ workspaceId: useWorkspaceId(), versionId: series.replace(/\/.*/, '') }}
      search={{ tab: 'licences' }}
    >
      {children}
    </Link>
  )
}

/** Of a product line, or of the firmware, which also tells of its release lines. */
function SupportName({ series, children }: NamedSeries) {
  const workspaceId = useWorkspaceId()
  const [kind, id = ''] = series.split('/')
  if (kind === 'firmware')
    return (
      <Link to="/w/$workspaceId/firmware/$firmwareId" params={{ workspaceId, firmwareId: id }}>
        {children}
      </Link>
    )
  return (
    <Link
      to="/w/$workspaceId/product-lines/$productLineId"
      params={{ workspaceId, productLineId: id }}
    >
      {children}
    </Link>
  )
}

/** Where the keys of the device, or of all devices, are listed. */
function KeyName({ series, children }: NamedSeries) {
  const workspaceId = useWorkspaceId()
  const [deviceId = ''] = series.split('/')
  if (deviceId === 'fleet-key')
    return (
      <Link to="/w/$workspaceId/settings/$part" params={{ workspaceId, part: 'api-keys' }}>
        {children}
      </Link>
    )
  return (
    <DeviceName series={deviceId} tab="registration">
      {children}
    </DeviceName>
  )
}

/** Where trusted keys, or issuers, are listed. */
function CertificateName({ series, children }: NamedSeries) {
  const part = series.startsWith('trusted-key/') ? 'trusted-keys' : 'api-keys'
  return (
    <Link to="/w/$workspaceId/settings/$part" params={{ workspaceId: useWorkspaceId(), part }}>
      {children}
    </Link>
  )
}

/** Of a report from outside, or of a case. */
function DeadlineName({ series, children }: NamedSeries) {
  const workspaceId = useWorkspaceId()
  const [caseId = '', reportId = ''] = series.split('/')
  if (caseId === 'disclosure-report')
    return (
      <Link to="/w/$workspaceId/disclosure-reports/$reportId" params={{ workspaceId, reportId }}>
        {children}
      </Link>
    )
  return (
    <Link to="/w/$workspaceId/cases/$caseId" params={{ workspaceId, caseId }}>
      {children}
    </Link>
  )
}
