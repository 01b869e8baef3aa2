/** What nobody sees, before the list of what is seen: each leads to its devices. */
import type { DeviceSummary } from '@plimsoll/api-client'
import { IconChevronRight } from '@tabler/icons-react'
import { Link } from '@tanstack/react-router'
import { formatCount } from '../../format/counts.ts'
import { useWorkspaceId } from '../../session.ts'
import type { DevicesSearch } from '../../searches.ts'
import css from './devices.module.css'

interface Unseen {
  show: NonNullable<DevicesSearch['show']>
  title: string
  count: keyof DeviceSummary
  /** What it means, and what it means that there are none. */
  some: (summary: DeviceSummary) => string
  none: string
}

const UNSEEN: readonly Unseen[] = [
  {
    show: 'unknown',
    title: 'Unknown firmware',
    count: 'blindSpotDevices',
    some: ({ otherImageDevices }) =>
      otherImageDevices === 0
        ? 'nobody registered it'
        : `${formatCount(otherImageDevices)} with another image than that of the version`,
    none: 'all of it is registered',
  },
  {
    show: 'silent',
    title: 'Silent for a week',
    count: 'older',
    some: ({ olderExploited }) =>
      `${formatCount(olderExploited)} ${olderExploited === 1 ? 'runs' : 'run'} an exploited version`,
    none: 'all seen since',
  },
  {
    show: 'never',
    title: 'Never seen',
    count: 'neverSeen',
    some: () => 'registered only',
    none: 'all have reported',
  },
  {
    show: 'loose',
    title: 'In no cohort',
    count: 'inNoCohort',
    some: () => 'no deployment reaches them',
    none: 'all can be updated',
  },
]

interface UnseenDevicesProps {
  /** undefined: it is not known yet, which is not zero. */
  summary: DeviceSummary | undefined
  show: DevicesSearch['show']
}

export function UnseenDevices({ summary, show: shown }: UnseenDevicesProps) {
  const workspaceId = useWorkspaceId()
  return (
    <nav className={css['unseen']} aria-label="What nobody sees">
      {UNSEEN.map(({ show, title, count, some, none }) => {
        const devices = summary?.[count]
        return (
          <Link
            key={show}
            to="/w/$workspaceId/devices"
            params={{ workspaceId }}
            search={shown === show ? {} : { show }}
            aria-current={shown === show ? 'true' : undefined}
            className={devices === 0 ? css['noneUnseen'] : undefined}
            // The address says `show` in different ways, and so does the link.
            activeProps={{}}
          >
            <strong>{devices === undefined ? '–' : formatCount(devices)}</strong>
            <span>
              {title}
              <small>
                {summary === undefined ? 'not known yet' : devices === 0 ? none : some(summary)}
              </small>
            </span>
            <IconChevronRight size={16} aria-hidden="true" />
          </Link>
        )
      })}
    </nav>
  )
}
