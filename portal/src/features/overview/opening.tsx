import type { Overview } from '@plimsoll/api-client'
import { Link } from '@tanstack/react-router'
import { DevicesLink } from '../../components/devices-link.tsx'
import { formatCount } from '../../format/counts.ts'
import { useWorkspaceId } from '../../session.ts'
import css from './overview-page.module.css'

/** One sentence, made of facts; what nobody knows is one of them. */
export function Opening({ devices }: { devices: Overview['devices'] }) {
  const { exploited, total, exploitedWeekAgo } = devices
  const unknown = devices.byWorst.find(({ worst }) => worst === 'NotJudged')?.devices ?? 0
  if (total === 0) return <h2 className={css['opening']}>No device has reported yet.</h2>
  const all = <DevicesLink of={{}} count={total} />
  if (total === unknown)
    return <h2 className={css['opening']}>{all}, and nobody can judge what they run.</h2>
  return (
    <h2 className={css['opening']}>
      {exploited === 0 ? (
        <>None</>
      ) : (
        <DevicesLink of={{ show: 'exploited' }} count={exploited} isBare />
      )}{' '}
      of {all} {exploited > 1 ? 'run' : 'runs'} firmware with known-exploited vulnerabilities
      {unknown > 0 && (
        <>
          , <DevicesLink of={{ show: 'unjudged' }} count={unknown} isBare /> nobody can judge
        </>
      )}
      <Trend now={exploited} before={exploitedWeekAgo?.exploited} />
    </h2>
  )
}

function Trend({ now, before }: { now: number; before: number | undefined }) {
  const workspaceId = useWorkspaceId()
  if (before === undefined) return <>.</>
  if (before === now) return <>; as many as a week ago.</>
  const isFewer = now < before
  return (
    <>
      ;{' '}
      <Link
        to="/w/$workspaceId/exposure"
        params={{ workspaceId }}
        className={isFewer ? css['better'] : css['worse']}
      >
        {formatCount(Math.abs(now - before))} {isFewer ? 'fewer' : 'more'}
      </Link>{' '}
      than a week ago.
    </>
  )
}
