/** Says that a page shows now, where one came from a page of a past day: the address has the day, and this page has no past. */
import { Link, useMatches, useNavigate, useSearch } from '@tanstack/react-router'
import { useState } from 'react'
import { describePast } from '../../components/past.ts'
import { writeSearch } from '../../searches.ts'
import css from './shell.module.css'

export function ShownNow() {
  const { asOf } = useSearch({ from: '/w/$workspaceId' })
  const navigate = useNavigate()
  /** The address of the page, if it can show a past day. */
  const shown = useMatches({
    select: (matches) => {
      const match = matches.find(({ staticData }) => staticData.hasPast === true)
      return match && match.pathname + writeSearch(match.search)
    },
  })
  const [past, setPast] = useState<string>()
  if (shown !== undefined && asOf !== undefined && past !== shown) setPast(shown)
  if (shown !== undefined || asOf === undefined) return null
  const day = describePast(asOf)
  return (
    <p role="status" className={css['now']}>
      <span>You looked at {day}; this page shows now.</span>
      {/* In another tab, and when it is loaded anew, the page does not know where one came from. */}
      {past !== undefined && (
        <button type="button" onClick={() => void navigate({ href: past })}>
          Back to {day}
        </button>
      )}
      <Link to="." search={(last) => ({ ...last, asOf: undefined })} replace>
        Go on with now
      </Link>
    </p>
  )
}
