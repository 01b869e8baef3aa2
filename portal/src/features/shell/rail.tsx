import {
  IconAdjustmentsHorizontal,
  IconBell,
  IconBuildingStore,
  IconCpu,
  IconChartAreaLine,
  IconRocket,
  IconRouter,
  IconShieldExclamation,
  IconSpeakerphone,
  IconHourglass,
} from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { Link, useLocation } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { casesQuery, disclosureReportsQuery } from '../../components/cases/queries.ts'
import { useShell } from '../../components/shell-context.ts'
import { formatCount, formatCountOf } from '../../format/counts.ts'
import { useMay, useWorkspace, useWorkspaceId } from '../../session.ts'
import { overviewQuery } from '../../workspace-queries.ts'
import { PersonMenu } from './person-menu.tsx'
import css from './rail.module.css'
import { WorkspaceMenu } from './workspace-menu.tsx'

const PLACES = [
  { to: '/w/$workspaceId', name: 'Overview', Icon: IconChartAreaLine, isExact: true },
  {
    to: '/w/$workspaceId/findings',
    name: 'Findings',
    Icon: IconShieldExclamation,
    below: ['vulnerabilities'],
    waits: { kind: 'findings', text: 'to decide', to: '/w/$workspaceId/findings', search: {} },
  },
  {
    to: '/w/$workspaceId/cases',
    name: 'Cases',
    Icon: IconHourglass,
    below: ['product-lines', 'obligations'],
    hasClocks: true,
  },
  { to: '/w/$workspaceId/advisories', name: 'Advisories', Icon: IconSpeakerphone },
  { to: '/w/$workspaceId/firmware', name: 'Firmware', Icon: IconCpu, below: ['versions'] },
  {
    to: '/w/$workspaceId/devices',
    name: 'Devices',
    Icon: IconRouter,
    below: ['crashes'],
    waits: {
      kind: 'devices',
      text: 'with unknown firmware',
      to: '/w/$workspaceId/devices',
      search: { show: 'unknown' },
    },
  },
  {
    to: '/w/$workspaceId/deployments',
    name: 'Deployments',
    Icon: IconRocket,
    waits: {
      kind: 'deployments',
      text: 'stopped or paused',
      to: '/w/$workspaceId/deployments',
      search: { show: 'waiting' },
    },
  },
  {
    to: '/w/$workspaceId/alerts',
    name: 'Alerts',
    Icon: IconBell,
    waits: { kind: 'alerts', text: 'firing', to: '/w/$workspaceId/alerts', search: {} },
  },
  { to: '/w/$workspaceId/customers', name: 'Customers', Icon: IconBuildingStore },
  { to: '/w/$workspaceId/settings', name: 'Settings', Icon: IconAdjustmentsHorizontal },
] as const

export function Rail() {
  const { openKeys } = useShell()
  return (
    <nav className={css['rail']} aria-label="Main">
      <WorkspaceMenu />
      <ul className={css['places']}>
        {PLACES.map((place) => (
          <li key={place.name}>
            <Place
              to={place.to}
              isExact={'isExact' in place}
              below={'below' in place ? place.below : undefined}
            >
              <place.Icon size={17} stroke={1.7} aria-hidden="true" />
              {place.name}
            </Place>
            {'waits' in place && <Waiting {...place.waits} />}
            {place.name === 'Findings' && <Proposals />}
            {'hasClocks' in place && <OpenClocks />}
            {'hasClocks' in place && <WaitingReports />}
          </li>
        ))}
      </ul>
      <button type="button" className={css['place']} onClick={openKeys}>
        <kbd>?</kbd>
        Keys and help
      </button>
      <PersonMenu />
    </nav>
  )
}

type Waits = Extract<(typeof PLACES)[number], { waits: object }>['waits']

/** How many wait there for people, which leads to them. Nothing: none, or whoever looks may not know. */
function Waiting({ kind, text, to, search }: Waits) {
  const workspaceId = useWorkspaceId()
  const { data, error } = useQuery({
    ...overviewQuery(workspaceId),
    enabled: useWorkspace()?.secondFactorMissing !== true,
  })
  if (error && !data)
    return (
      <span className={css['waiting']} title="Could not be counted">
        ?
      </span>
    )
  const count = data?.waiting[kind] ?? 0
  if (count === 0) return null
  const isMore = kind === 'findings' && data?.waiting.findingsIsLowerBound === true
  const counted = `${formatCount(count)}${isMore ? '+' : ''}`
  return (
    <Link
      to={to}
      params={{ workspaceId }}
      search={search}
      className={css['waiting']}
      title={`${counted} ${text}`}
      aria-label={`${counted} ${text}`}
      // The place beside it says where one is.
      activeProps={{ 'aria-current': undefined }}
    >
      {counted}
    </Link>
  )
}

/** What somebody proposed to decide, which leads to it. */
function Proposals() {
  const workspaceId = useWorkspaceId()
  const { data } = useQuery({
    ...overviewQuery(workspaceId),
    enabled: useWorkspace()?.secondFactorMissing !== true,
  })
  const count = data?.waiting.proposals ?? 0
  if (count === 0) return null
  return (
    <Link
      to="/w/$workspaceId/proposals"
      params={{ workspaceId }}
      search={{}}
      className={css['below']}
      activeProps={{ className: css['here'], 'aria-current': 'page' }}
    >
      {formatCountOf(count, 'proposal')}
    </Link>
  )
}

/** Reports from outside that somebody is to answer or to assess. */
function WaitingReports() {
  const workspaceId = useWorkspaceId()
  const isAllowed = useMay('Cases: read')
  const isLocked = useWorkspace()?.secondFactorMissing === true
  const { data } = useQuery({
    ...disclosureReportsQuery(workspaceId, { isWaiting: 'true' }),
    enabled: isAllowed && !isLocked,
  })
  const count = data?.counts.waiting ?? 0
  if (count === 0) return null
  return (
    <Link
      to="/w/$workspaceId/disclosure-reports"
      params={{ workspaceId }}
      search={{ show: 'waiting' }}
      className={css['below']}
      activeProps={{ className: css['here'], 'aria-current': 'page' }}
    >
      {formatCountOf(count, 'report')} from outside
    </Link>
  )
}

type CaseCounts = Record<'open' | 'late' | 'proposed', number>

/** Begins with the number that is shown. */
function describeWaiting({ open, late, proposed }: CaseCounts): string {
  const parts = [
    ...(open > 0 ? [`${formatCount(open)} with running clocks`] : []),
    ...(late > 0 ? [`${formatCount(late)} late`] : []),
    ...(proposed > 0 ? [`${formatCount(proposed)} to assess`] : []),
  ].join(', ')
  return open > 0 && proposed > 0 ? `${formatCountOf(open + proposed, 'case')}: ${parts}` : parts
}

/** How many cases have running clocks or wait to be assessed. The rail asks for those with clocks alone: there are few. */
function OpenClocks() {
  const workspaceId = useWorkspaceId()
  const isAllowed = useMay('Cases: read')
  const isLocked = useWorkspace()?.secondFactorMissing === true
  const { data, error } = useQuery({
    ...casesQuery(workspaceId, { state: 'Open' }),
    enabled: isAllowed && !isLocked,
  })
  if (error && !data)
    return (
      <span className={css['waiting']} title="Could not be counted">
        ?
      </span>
    )
  return data ? <CountedCases {...data.counts} /> : null
}

function CountedCases({ open, late, proposed }: CaseCounts) {
  const workspaceId = useWorkspaceId()
  if (open + proposed === 0) return null
  const words = describeWaiting({ open, late, proposed })
  return (
    <Link
      to="/w/$workspaceId/cases"
      params={{ workspaceId }}
      search={open > 0 ? { state: 'Open' } : { state: 'Proposed' }}
      className={`${css['waiting']} ${late > 0 ? css['late'] : ''}`}
      title={words}
      aria-label={words}
      activeProps={{ 'aria-current': undefined }}
    >
      {formatCount(open + proposed)}
    </Link>
  )
}

function Place({
  to,
  isExact,
  below,
  children,
}: {
  to: (typeof PLACES)[number]['to']
  isExact: boolean
  /** Pages that stand below it under another address. */
  below: readonly string[] | undefined
  children: ReactNode
}) {
  const workspaceId = useWorkspaceId()
  const { pathname } = useLocation()
  const isBelow = below?.some((one) => `${pathname}/`.startsWith(`/w/${workspaceId}/${one}/`))
  return (
    <Link
      to={to}
      params={{ workspaceId }}
      className={`${css['place']} ${isBelow === true ? css['here'] : ''}`}
      activeProps={{ className: css['here'], 'aria-current': 'page' }}
      activeOptions={{ exact: isExact, includeSearch: false }}
    >
      {children}
    </Link>
  )
}
