import {
  IconAdjustmentsHorizontal,
  IconBell,
  IconCpu,
  IconChartAreaLine,
  IconRocket,
  IconRouter,
  IconShieldExclamation,
} from '@tabler/icons-react'
import { Link, useLocation } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { useShell } from '../../components/shell-context.ts'
import { useWorkspaceId } from '../../session.ts'
import { PersonMenu } from './person-menu.tsx'
import css from './rail.module.css'
import { WorkspaceMenu } from './workspace-menu.tsx'

const PLACES = [
  { to: '/w/$workspaceId', name: 'Overview', Icon: IconChartAreaLine, isExact: true },
  {
    to: '/w/$workspaceId/findings',
    name: 'Findings',
    Icon: IconShieldExclamation,
    below: 'vulnerabilities',
  },
  { to: '/w/$workspaceId/firmware', name: 'Firmware', Icon: IconCpu, below: 'versions' },
  { to: '/w/$workspaceId/devices', name: 'Devices', Icon: IconRouter },
  { to: '/w/$workspaceId/deployments', name: 'Deployments', Icon: IconRocket },
  { to: '/w/$workspaceId/alerts', name: 'Alerts', Icon: IconBell },
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

function Place({
  to,
  isExact,
  below,
  children,
}: {
  to: (typeof PLACES)[number]['to']
  isExact: boolean
  /** Pages that stand below it under another address. */
  below: string | undefined
  children: ReactNode
}) {
  const workspaceId = useWorkspaceId()
  const { pathname } = useLocation()
  const isBelow = below !== undefined && pathname.startsWith(`/w/${workspaceId}/${below}/`)
  return (
    <Link
      to={to}
      params={{ workspaceId }}
      className={`${css['place']} ${isBelow ? css['here'] : ''}`}
      activeProps={{ className: css['here'], 'aria-current': 'page' }}
      activeOptions={{ exact: isExact, includeSearch: false }}
    >
      {children}
    </Link>
  )
}
