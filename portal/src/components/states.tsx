/** What stands where data would: none yet, loading, failed. */
import { ApiProblem, UnexpectedAnswer } from '@plimsoll/api-client'
import type { ReactNode } from 'react'
import { describeProblem } from '../format/problems.ts'
import { Button } from './button.tsx'
import css from './states.module.css'

/** Says why there is nothing, and what to do next. */
export function Empty({
  title,
  children,
  action,
  isPage = false,
}: {
  title: string
  /** Nothing else is on the page. */
  isPage?: boolean
  children?: ReactNode
  action?: ReactNode
}) {
  return (
    <div className={css['state']}>
      <Heading isPage={isPage}>{title}</Heading>
      {children !== undefined && <p>{children}</p>}
      {action}
    </div>
  )
}

function Heading({ isPage, children }: { isPage: boolean; children: string }) {
  return isPage ? <h1>{children}</h1> : <h2>{children}</h2>
}

interface FailureProps {
  error: unknown
  onRetry?: () => void
  /** Nothing else is on the page. */
  isPage?: boolean
}

export function Failure({ error, onRetry, isPage = false }: FailureProps) {
  return (
    <div className={`${css['state']} ${css['failure']}`} role="alert">
      <Heading isPage={isPage}>{failureTitle(error)}</Heading>
      <p>{describeFailure(error)}</p>
      {onRetry && <Button onClick={onRetry}>Try again</Button>}
    </div>
  )
}

function failureTitle(error: unknown): string {
  const status = error instanceof ApiProblem ? error.problem.status : undefined
  if (status === 404) return 'It is not here'
  return status === 403 ? 'You may not see this' : 'This could not be loaded'
}

/** What happened, for a person: the words of the service where it answered. */
export function describeFailure(error: unknown): string {
  if (error instanceof ApiProblem) return describeProblem(error.problem)
  if (error instanceof UnexpectedAnswer)
    return `Something between you and Plimsoll answered instead of it (status ${error.status}): a proxy, perhaps.`
  if (error instanceof TypeError)
    return 'The connection to the service broke. Try again when it is back: a change is not made twice.'
  return error instanceof Error ? error.message : String(error)
}

/** Grey lines of the height that comes, so that nothing jumps. */
export function Loading({ rows = 6, height = 36 }: { rows?: number; height?: number }) {
  return (
    <div className={css['loading']} role="status" aria-label="Loading">
      {Array.from({ length: rows }, (_, index) => (
        <div key={index} style={{ height }}>
          <span />
        </div>
      ))}
    </div>
  )
}
