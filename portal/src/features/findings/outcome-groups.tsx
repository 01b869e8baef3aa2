/** The list under headings, one for each outcome of SSVC, the most urgent first: that of one is open, the others say how many they have. */
import { IconChevronDown, IconChevronRight } from '@tabler/icons-react'
import type { ReactNode } from 'react'
import { formatTotal } from '../../components/selection-bar.tsx'
import css from './outcome-groups.module.css'
import type { Findings } from './use-findings.ts'

interface OutcomeGroupsProps {
  findings: Pick<Findings, 'outcomes' | 'change'>
  /** The findings of the outcome that is open; without groups, all. */
  children: ReactNode
}

export function OutcomeGroups({ findings, children }: OutcomeGroupsProps) {
  const { counts, opened } = findings.outcomes
  const place = counts.findIndex(({ outcome }) => outcome === opened)
  const headings = counts.map((count) => (
    <Heading key={count.outcome} count={count} findings={findings} />
  ))
  return (
    <>
      {headings.slice(0, place + 1)}
      {children}
      {headings.slice(place + 1)}
    </>
  )
}

interface HeadingProps {
  count: Findings['outcomes']['counts'][number]
  findings: OutcomeGroupsProps['findings']
}

function Heading({ count, findings: { outcomes, change } }: HeadingProps) {
  const { outcome, totalCount } = count
  const isOpened = outcome === outcomes.opened
  const Icon = isOpened ? IconChevronDown : IconChevronRight
  return (
    <h2 className={css['heading']}>
      <button
        type="button"
        aria-expanded={isOpened}
        disabled={totalCount === 0 && !isOpened}
        onClick={() => change({ outcome, at: undefined })}
      >
        <Icon size={14} aria-hidden="true" />
        {outcome}
        <span>
          {formatTotal(count)} {totalCount === 1 ? 'finding' : 'findings'}
        </span>
      </button>
    </h2>
  )
}
