import type { Overview } from '@plimsoll/api-client'
import { Link } from '@tanstack/react-router'
import { formatCount } from '../../format/counts.ts'
import { useWorkspaceId } from '../../session.ts'
import css from './overview-page.module.css'

/** One sentence, made of facts. */
export function Opening({ devices }: { devices: Overview['devices'] }) {
  const workspaceId = useWorkspaceId()
  const { exploited, deviceCount, total, exploitedWeekAgo } = devices
  const unknown = devices.byWorst.find(({ worst }) => worst === 'NotJudged')?.devices ?? 0
  if (total === 0) return <h2 className={css['opening']}>No device has reported yet.</h2>
  if (deviceCount === unknown)
    return (
      <h2 className={css['opening']}>
        {formatCount(total)} {total === 1 ? 'device' : 'devices'}, and of none is it known what its
        firmware holds.
      </h2>
    )
  return (
    <h2 className={css['opening']}>
      {exploited === 0 ? (
        <>
          None of {formatCount(deviceCount)} devices runs firmware with known-exploited
          vulnerabilities
        </>
      ) : (
        <>
          <Link
            to="/w/$workspaceId/findings"
            params={{ workspaceId }}
            search={{ show: 'active', exploited: '1', devices: '1' }}
          >
            {formatCount(exploited)}
          </Link>{' '}
          of {formatCount(deviceCount)} devices run firmware with known-exploited vulnerabilities
        </>
      )}
      {unknown > 0 && <>, and of {formatCount(unknown)} it is unknown</>}
      <Trend now={exploited} before={exploitedWeekAgo?.exploited} />
    </h2>
  )
}

function Trend({ now, before }: { now: number; before: number | undefined }) {
  if (before === undefined) return <>.</>
  if (before === now) return <>; as many as a week ago.</>
  const isFewer = now < before
  return (
    <>
      ;{' '}
      <span className={isFewer ? css['better'] : css['worse']}>
        {formatCount(Math.abs(now - before))} {isFewer ? 'fewer' : 'more'}
      </span>{' '}
      than a week ago.
    </>
  )
}
