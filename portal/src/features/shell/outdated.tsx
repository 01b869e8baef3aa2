/** Says that what the page shows could not be brought up to date, and how old it is. */
import { type Query, useQueryClient } from '@tanstack/react-query'
import { useSyncExternalStore } from 'react'
import { Button } from '../../components/button.tsx'
import { findMin } from '../../components/extremes.ts'
import { Time } from '../../components/time.tsx'
import { isPassing } from '../../query-client.ts'
import css from './shell.module.css'

/** The page shows its answer, and asked for a newer one in vain. */
const isOutdated = (query: Query) =>
  query.isActive() &&
  query.state.status === 'error' &&
  query.state.data !== undefined &&
  isPassing(query.state.error)

export function Outdated() {
  const client = useQueryClient()
  const cache = client.getQueryCache()
  // A number, so that it is the same as long as nothing has changed.
  const oldest = useSyncExternalStore(
    (onChange) => cache.subscribe(onChange),
    () => findMin(cache.findAll({ predicate: isOutdated }).map(({ state }) => state.dataUpdatedAt)),
  )
  if (!Number.isFinite(oldest)) return null
  return (
    <p role="status" className={css['outdated']}>
      This could not be brought up to date: the service cannot be reached, or does not answer. You
      see it as it was <Time at={new Date(oldest).toISOString()} />; what you have typed is kept.
      <Button size="small" onClick={() => void client.refetchQueries({ predicate: isOutdated })}>
        Try again
      </Button>
    </p>
  )
}
