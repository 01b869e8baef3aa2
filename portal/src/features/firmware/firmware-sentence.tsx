import type { FirmwareOverview } from '@plimsoll/api-client'
import { Link } from '@tanstack/react-router'
import { Fragment } from 'react'
import { formatCount, formatCountOf } from '../../format/counts.ts'
import type { DevicesSearch } from '../../searches.ts'
import { useWorkspaceId } from '../../session.ts'
import css from './firmwares-page.module.css'

interface Fact {
  count: number
  /** The list of as many devices; undefined: no list has just these. */
  search: DevicesSearch | undefined
  text: string
}

/** Says how many devices run an overloaded version, and of how many nobody knows; each number leads to its devices. */
export function FirmwareSentence({
  devices,
}: {
  devices: FirmwareOverview['devices'] | undefined
}) {
  if (!devices) return <p className={css['sentence']}>&nbsp;</p>
  const { total, overloaded, unknown, unregistered, silent } = devices
  if (total === 0) return <h2 className={css['sentence']}>No device is registered yet.</h2>
  const facts: Fact[] = [
    {
      count: unknown,
      search: { mark: 'Unknown' },
      text: `${run(unknown)} one that nobody can judge`,
    },
    {
      count: unregistered,
      search: { show: 'unregistered' },
      text: `${run(unregistered)} one that nobody registered`,
    },
    { count: silent, search: undefined, text: 'never said what they run' },
  ]
  return (
    <h2 className={css['sentence']}>
      {overloaded === 0 ? 'None' : <Devices count={overloaded} search={{ mark: 'Overloaded' }} />}{' '}
      of {formatCountOf(total, 'device')} {overloaded === 0 ? 'runs' : run(overloaded)} an
      overloaded version
      {facts
        .filter(({ count }) => count > 0)
        .map(({ count, search, text }, place) => (
          <Fragment key={text}>
            {place === 0 ? '; ' : ', '}
            {search ? <Devices count={count} search={search} /> : formatCount(count)} {text}
          </Fragment>
        ))}
      .
    </h2>
  )
}

const run = (devices: number) => (devices === 1 ? 'runs' : 'run')

function Devices({ count, search }: { count: number; search: DevicesSearch }) {
  const workspaceId = useWorkspaceId()
  return (
    <Link to="/w/$workspaceId/devices" params={{ workspaceId }} search={search}>
      {formatCount(count)}
    </Link>
  )
}
