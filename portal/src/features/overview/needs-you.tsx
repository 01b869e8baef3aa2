import {
  IconAlertTriangle,
  IconArrowBackUp,
  IconBell,
  IconCalendarOff,
  IconClock,
  IconFileAlert,
  IconFlameFilled,
  IconPlayerPause,
  IconQuestionMark,
} from '@tabler/icons-react'
import { Link } from '@tanstack/react-router'
import { Panel } from '../../components/panel.tsx'
import { SeverityBadge } from '../../components/severity.tsx'
import { formatCount } from '../../format/counts.ts'
import type { DevicesSearch, FindingsSearch } from '../../searches.ts'
import { useWorkspaceId } from '../../session.ts'
import css from './overview-page.module.css'
import type { Need } from './queries.ts'

/** One queue, worst first: each with its count, its cause, and one act. */
export function NeedsYou({ needs }: { needs: readonly Need[] }) {
  return (
    <Panel
      title="Needs you"
      note="worst first"
      aside={<span className={css['count']}>{formatCount(needs.length)}</span>}
      isFlush
    >
      {needs.length === 0 ? (
        <p className={css['nothing']}>
          Nothing that this page looks for waits for you: no known-exploited, Critical or High
          finding without a decision, nothing overdue or to be checked again, no failed SBOM, stale
          source or stalled deployment.
        </p>
      ) : (
        <ul className={css['needs']}>
          {needs.map((need) => (
            <NeedRow key={`${need.kind} ${need.text}`} need={need} />
          ))}
        </ul>
      )}
    </Panel>
  )
}

function NeedRow({ need }: { need: Need }) {
  const link = useLink(need)
  return (
    <li>
      <Sign need={need} />
      <div>
        <strong>{need.text}</strong>
        {need.detail !== null && <p>{need.detail}</p>}
      </div>
      {link && (
        <Link {...link.to} aria-label={`${link.act}: ${need.text}`}>
          {link.act} ›
        </Link>
      )}
    </li>
  )
}

const ICONS: Partial<Record<Need['kind'], typeof IconBell>> = {
  FiringAlert: IconBell,
  Overdue: IconClock,
  StalledDeployment: IconPlayerPause,
  FailedSbom: IconFileAlert,
  StaleSource: IconAlertTriangle,
  PastSupport: IconCalendarOff,
  OtherImage: IconQuestionMark,
  UnknownFirmware: IconQuestionMark,
  Recheck: IconArrowBackUp,
}

function Sign({ need: { kind, severity } }: { need: Need }) {
  if (kind === 'Exploited')
    return <IconFlameFilled size={16} className={css['danger']} aria-hidden="true" />
  if (severity !== null) return <SeverityBadge severity={severity} />
  const Icon = ICONS[kind] ?? IconAlertTriangle
  return <Icon size={16} className={css['muted']} aria-hidden="true" />
}

/** Where the row leads: the filter of the list whose count it is, in the address's words. */
const SEARCHES: Partial<Record<Need['kind'], FindingsSearch>> = {
  Exploited: { show: 'active', exploited: '1' },
  NewCritical: { since: '1', severity: 'Critical' },
  UndecidedCritical: { severity: 'Critical' },
  Overdue: { show: 'active', overdue: '1' },
  NewHigh: { since: '1', severity: 'High' },
  Recheck: { recheck: '1' },
}

/** Which devices the row is about. */
const DEVICES_SHOWN: Partial<Record<Need['kind'], NonNullable<DevicesSearch['show']>>> = {
  OtherImage: 'otherImage',
  UnknownFirmware: 'unregistered',
}

/** Their lists hold what was decided to be exploitable, until it is resolved. */
const DECIDED_TOO = new Set<Need['kind']>(['Exploited', 'Overdue'])

function useLink({ kind, target }: Need) {
  const workspaceId = useWorkspaceId()
  const search = SEARCHES[kind]
  if (search)
    return {
      act: DECIDED_TOO.has(kind) ? 'Look' : 'Decide',
      to: { to: '/w/$workspaceId/findings', params: { workspaceId }, search },
    } as const
  if (kind === 'StaleSource')
    return {
      act: 'Look',
      to: { to: '/w/$workspaceId/settings/$part', params: { workspaceId, part: 'sources' } },
    } as const
  if (kind === 'FiringAlert') {
    const { alertIncidentId: incidentId } = target
    if (incidentId === undefined)
      return { act: 'Look', to: { to: '/w/$workspaceId/alerts', params: { workspaceId } } } as const
    const to = '/w/$workspaceId/alerts/incidents/$incidentId'
    return { act: 'Look', to: { to, params: { workspaceId, incidentId } } } as const
  }
  if (kind === 'PastSupport')
    return { act: 'Look', to: { to: '/w/$workspaceId/firmware', params: { workspaceId } } } as const
  const show = DEVICES_SHOWN[kind]
  if (show)
    return {
      act: 'Look',
      to: { to: '/w/$workspaceId/devices', params: { workspaceId }, search: { show } },
    } as const
  const { deploymentCohortId, deploymentId, firmwareVersionId: versionId } = target
  if (deploymentCohortId !== undefined && deploymentId !== undefined)
    return {
      act: 'Look',
      to: {
        to: '/w/$workspaceId/deployments/$deploymentCohortId/$deploymentId',
        params: { workspaceId, deploymentCohortId, deploymentId },
      },
    } as const
  if (kind !== 'FailedSbom' || versionId === undefined) return undefined
  return {
    act: 'Look',
    to: {
      to: '/w/$workspaceId/versions/$versionId',
      params: { workspaceId, versionId },
      search: { tab: 'sboms' },
    },
  } as const
}
