/** The columns of the list of devices. */
import type { Device } from '@plimsoll/api-client'
import { IconCalendarOff } from '@tabler/icons-react'
import type { Column } from '../../components/data-table.tsx'
import { MarkSign } from '../../components/mark.tsx'
import { Exploited, SeverityBadge } from '../../components/severity.tsx'
import { Tag } from '../../components/tag.tsx'
import { Time } from '../../components/time.tsx'
import { CurrentUpdate } from '../../components/update-columns.tsx'
import css from './devices.module.css'
import { IMAGE_WORDS } from './image-words.ts'
import { Presence } from './presence.tsx'

export const COLUMNS: readonly Column<Device>[] = [
  {
    id: 'id',
    title: 'Device',
    width: 'minmax(0, 1.2fr)',
    sort: 'Id',
    cell: ({ id, description }) => <code title={description ?? undefined}>{id}</code>,
  },
  {
    id: 'presence',
    title: 'Presence',
    width: '150px',
    sort: 'LastSeenAt',
    cell: (device) => <Presence device={device} />,
  },
  {
    id: 'firmware',
    title: 'Runs',
    width: 'minmax(0, 2.6fr)',
    cell: (device) => <Runs device={device} />,
  },
  {
    id: 'worst',
    title: 'Worst finding',
    width: '150px',
    cell: (device) => <Worst {...device} />,
  },
  {
    id: 'cohort',
    title: 'Cohort',
    width: 'minmax(0, 0.8fr)',
    cell: ({ cohort }) => cohort?.name ?? <span className={css['note']}>none</span>,
    isWideOnly: true,
  },
  {
    id: 'update',
    title: 'Update',
    width: 'minmax(0, 1fr)',
    cell: ({ currentUpdate }) => currentUpdate && <CurrentUpdate of={currentUpdate} />,
    isWideOnly: true,
  },
  {
    id: 'updated',
    title: 'Last update',
    width: '110px',
    cell: ({ lastUpdatedAt }) =>
      lastUpdatedAt === null ? (
        <span className={css['note']}>none</span>
      ) : (
        <Time at={lastUpdatedAt} />
      ),
    isWideOnly: true,
  },
  {
    id: 'key',
    title: 'Oldest key',
    width: '110px',
    sort: 'OldestKeyAt',
    cell: ({ oldestKeyAt }) =>
      oldestKeyAt === null ? (
        <span
          className={css['note']}
          title="It connects with a certificate or a key of all devices"
        >
          none of its own
        </span>
      ) : (
        <Time at={oldestKeyAt} />
      ),
    isWideOnly: true,
  },
  {
    id: 'tags',
    title: 'Tags',
    width: 'minmax(0, 1fr)',
    cell: ({ tags }) => (
      <span className={css['tags']} title={tags.join(', ')}>
        {tags.map((tag) => (
          <Tag key={tag}>{tag}</Tag>
        ))}
      </span>
    ),
    isWideOnly: true,
  },
]

function Worst({ worst, exploited }: Pick<Device, 'worst' | 'exploited'>) {
  if (worst === null || worst === 'NotJudged') return <span className={css['note']}>not known</span>
  if (worst === 'Clean') return <span className={css['note']}>none</span>
  return (
    <span className={css['worst']}>
      <SeverityBadge severity={worst} /> <span aria-hidden="true">{worst}</span>
      {exploited && <Exploited />}
    </span>
  )
}

function Runs({ device: { firmware, unnamedVersion } }: { device: Device }) {
  if (unnamedVersion !== null)
    return (
      <span className={css['note']}>
        unknown; reports {unnamedVersion.attribute}={unnamedVersion.version}: of which firmware?
      </span>
    )
  if (firmware.length === 0) return <span className={css['note']}>never said what it runs</span>
  return (
    <span className={css['runs']}>
      {firmware.map(({ slug, version, firmwareVersion, isBlindSpot, image }) => (
        <span
          key={slug}
          title={firmwareVersion?.mark.sentence ?? 'No firmware version of that name is here'}
        >
          <MarkSign state={firmwareVersion?.mark.state ?? 'Unknown'} size={18} />
          <span className={css['firmware']}>{firmwareVersion?.firmware.name ?? slug}</span>
          <code>{version}</code>
          {isBlindSpot && (
            <Tag tone="warn">{firmwareVersion ? IMAGE_WORDS[image.state].short : 'unknown'}</Tag>
          )}
          {firmwareVersion?.mark.supportNote !== undefined && (
            <span className={css['support']}>
              <IconCalendarOff size={15} aria-hidden="true" />
              <span>{firmwareVersion.mark.supportNote}</span>
            </span>
          )}
        </span>
      ))}
    </span>
  )
}
