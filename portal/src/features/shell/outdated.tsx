/** Says that what the page shows could not be brought up to date, and how old it is, or that some of it could not be read at all. */
import { type Query, useQueryClient } from '@tanstack/react-query'
import { useSyncExternalStore } from 'react'
import { Button } from '../../components/button.tsx'
import { findMin } from '../../components/extremes.ts'
import { Time } from '../../components/time.tsx'
import { isPassing } from '../../query-client.ts'
import css from './shell.module.css'

const isUnanswered = (query: Query) =>
  query.isActive() && query.state.status === 'error' && isPassing(query.state.error)

/** The page shows an answer, and asked for a newer one in vain. */
const isOutdated = ({ state }: Query) => state.data !== undefined

export function Outdated() {
  const client = useQueryClient()
  const cache = client.getQueryCache()
  const listUnanswered = () => cache.findAll({ predicate: isUnanswered })
  const subscribe = (onChange: () => void) => cache.subscribe(onChange)
  // Primitive values, so that they are the same as long as nothing has changed.
  const oldest = useSyncExternalStore(subscribe, () =>
    findMin(
      listUnanswered()
        .filter(isOutdated)
        .map(({ state }) => state.dataUpdatedAt),
    ),
  )
  const isPartMissing = useSyncExternalStore(
    subscribe,
    () => !listUnanswered().every((query) => isOutdated(query)),
  )
  const hasOld = Number.isFinite(oldest)
  if (!hasOld && !isPartMissing) return null
  return (
    <p role="status" className={css['outdated']}>
      {hasOld && (
        <>
          This could not be brought up to date: the service cannot be reached, or does not answer.
          You see it as it was <Time at={new Date(oldest).toISOString()} />; what you have typed is
          kept.{' '}
        </>
      )}
      {isPartMissing &&
        'Some of this page could not be read, so that what is not shown here may be there all the same.'}
      <Button size="small" onClick={() => void client.refetchQueries({ predicate: isUnanswered })}>
        Try again
      </Button>
    </p>
  )
}
