import { IconFlameFilled, IconSearch } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { Chip, ChipRow } from '../../../components/chip.tsx'
import { DayField } from '../../../components/day-picker.tsx'
import { FilterInput } from '../../../components/filter-input.tsx'
import { SEVERITIES, SeverityBadge } from '../../../components/severity.tsx'
import { formatOutcome } from '../../../components/ssvc/outcome.ts'
import { ssvcQuery } from '../../../components/ssvc/queries.ts'
import type { VersionSearch } from '../../../searches.ts'
import { useWorkspaceId } from '../../../session.ts'
import { summaryQuery } from '../queries.ts'
import css from '../version-page.module.css'

/** What the findings of a version are filtered by, and the day they are shown of. */
export function FindingFilters({
  versionId,
  search,
  asOf,
  onChange,
  children,
}: {
  versionId: string
  search: VersionSearch
  asOf: string | undefined
  onChange: (next: VersionSearch) => void
  /** At the right end. */
  children: ReactNode
}) {
  const workspaceId = useWorkspaceId()
  const { data } = useQuery(summaryQuery(workspaceId, versionId, asOf))
  const isAll = search.show === 'all'
  // The summary counts active findings of all components.
  const isCounted = !isAll && search.package === undefined
  const countOf = (severity: string) =>
    data?.countsBySeverity.find((one) => one.severity === severity)?.count
  return (
    <div className={css['row']}>
      <FilterInput
        aria-label="Filter by id, alias, or title"
        placeholder="Filter by id or title"
        leftSection={<IconSearch size={14} aria-hidden="true" />}
        value={search.q}
        onChange={(q) => onChange({ q })}
      />
      <ChipRow label="Filters">
        {SEVERITIES.slice(0, 4).map((severity) => (
          <Chip
            key={severity}
            isOn={search.severity === severity}
            onChange={(isOn) => onChange({ severity: isOn ? severity : undefined })}
            count={isCounted ? countOf(severity) : undefined}
          >
            <SeverityBadge severity={severity} />
          </Chip>
        ))}
        <Chip
          isOn={search.exploited === '1'}
          onChange={(isOn) => onChange({ exploited: isOn ? '1' : undefined })}
          tone="danger"
        >
          <IconFlameFilled size={13} aria-hidden="true" />
          Exploited
        </Chip>
        {asOf === undefined && <OutcomeChips search={search} onChange={onChange} />}
        <Chip
          isOn={search.open === '1'}
          onChange={(isOn) => onChange({ open: isOn ? '1' : undefined })}
        >
          To decide
        </Chip>
        {(['yes', 'no'] as const).map((disputed) => (
          <Chip
            key={disputed}
            isOn={search.disputed === disputed}
            onChange={(isOn) => onChange({ disputed: isOn ? disputed : undefined })}
          >
            {disputed === 'yes' ? 'Disputed' : 'Undisputed'}
          </Chip>
        ))}
        <Chip isOn={isAll} onChange={(isOn) => onChange({ show: isOn ? 'all' : undefined })}>
          Decided ones too
        </Chip>
        {search.package !== undefined && (
          <Chip isOn isRemovable onChange={() => onChange({ package: undefined })}>
            In <code>{search.package}</code>
          </Chip>
        )}
      </ChipRow>
      <div className={css['end']}>
        <DayField asOf={asOf} onChange={(next) => onChange({ asOf: next })} />
        {children}
      </div>
    </div>
  )
}

/** The two most urgent outcomes of the tree that holds, and the one that the address names. */
function OutcomeChips({
  search: { ssvc },
  onChange,
}: Pick<Parameters<typeof FindingFilters>[0], 'search' | 'onChange'>) {
  const { data } = useQuery(ssvcQuery(useWorkspaceId()))
  const outcomes = data?.outcomes.toReversed() ?? []
  const offered = outcomes.slice(0, Math.min(2, outcomes.length - 1))
  const shown = ssvc === undefined || offered.includes(ssvc) ? offered : [...offered, ssvc]
  return shown.map((outcome) => (
    <Chip
      key={outcome}
      isOn={ssvc === outcome}
      onChange={(isOn) => onChange({ ssvc: isOn ? outcome : undefined })}
    >
      {formatOutcome(outcome, outcome === outcomes[0])}
    </Chip>
  ))
}
