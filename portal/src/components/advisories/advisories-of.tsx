/** What was drafted or published about a case or a vulnerability, each a link to it. */
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useMay, useWorkspaceId } from '../../session.ts'
import { Tag } from '../tag.tsx'
import { Time } from '../time.tsx'
import css from './advisories.module.css'
import { type AdvisoryFilter, advisoriesQuery } from './queries.ts'
import { ADVISORY_STATE_TONES, ADVISORY_STATE_WORDS, isWaiting } from './words.ts'

export function AdvisoriesOf({ filter, none }: { filter: AdvisoryFilter; none?: string }) {
  const workspaceId = useWorkspaceId()
  const enabled = useMay('Cases: read')
  const { data } = useQuery({ ...advisoriesQuery(workspaceId, filter), enabled })
  if (data?.securityAdvisories.length === 0) return none === undefined ? null : <p>{none}</p>
  return data?.securityAdvisories.map((one) => (
    <p key={one.id} className={css['of']}>
      <Tag tone={ADVISORY_STATE_TONES[one.state]}>{ADVISORY_STATE_WORDS[one.state]}</Tag>{' '}
      <Link
        to="/w/$workspaceId/advisories/$advisoryId"
        params={{ workspaceId, advisoryId: one.id }}
      >
        Advisory {one.trackingId ?? `“${one.title}”`}
      </Link>
      {one.publishedAt !== null && (
        <>
          , revision {one.revision} of <Time at={one.publishedAt} as="date" />
        </>
      )}
      {one.heldUntil !== null && isWaiting(one) && (
        <>
          , waits until <Time at={one.heldUntil} as="dateTime" />
        </>
      )}
    </p>
  ))
}
