/** Says that a page shows now, where one came from a page of a past day: the address has the day, and this page has no past. */
import { Link, useMatches, useNavigate, useSearch } from '@tanstack/react-router'
import { useLocalStorage } from '@mantine/hooks'
import { useEffect } from 'react'
import { describePast } from '../../components/past.ts'
import { writeSearch } from '../../searches.ts'
import { useWorkspaceId } from '../../session.ts'
import css from './shell.module.css'

/** The last page of a past day, and that day. */
interface LastPast {
  asOf: string
  page: string
}

/** Whatever somebody wrote there: only a page of the workspace is one to go back to. */
function readLast(text: string | undefined, workspaceId: string): LastPast | undefined {
  try {
    const { asOf, page } = JSON.parse(text ?? '{}') as Partial<Record<keyof LastPast, unknown>>
    const isHere = typeof page === 'string' && page.startsWith(`/w/${workspaceId}/`)
    return isHere && typeof asOf === 'string' ? { asOf, page } : undefined
  } catch {
    return undefined
  }
}

export function ShownNow() {
  const workspaceId = useWorkspaceId()
  const { asOf } = useSearch({ from: '/w/$workspaceId' })
  const navigate = useNavigate()
  /** The address of the page, if it can show a past day. */
  const shown = useMatches({
    select: (matches) => {
      const match = matches.find(({ staticData }) => staticData.hasPast === true)
      return match && match.pathname + writeSearch(match.search)
    },
  })
  // Other tabs of the browser know it, too: one opens rows of a past page in tabs of their own.
  const [last, setLast] = useLocalStorage<LastPast | undefined>({
    key: 'plimsoll.past',
    defaultValue: undefined,
    getInitialValueInEffect: false,
    deserialize: (text) => readLast(text, workspaceId),
  })
  useEffect(() => {
    if (shown !== undefined && asOf !== undefined) setLast({ asOf, page: shown })
  }, [shown, asOf, setLast])
  if (shown !== undefined || asOf === undefined) return null
  const day = describePast(asOf)
  return (
    <p role="status" className={css['now']}>
      <span>You looked at {day}; this page shows now.</span>
      {last?.asOf === asOf && (
        <button type="button" onClick={() => void navigate({ href: last.page })}>
          Back to {day}
        </button>
      )}
      <Link to="." search={(now) => ({ ...now, asOf: undefined })} replace>
        Go on with now
      </Link>
    </p>
  )
}
