import type { WorkspaceFindingFilter } from '@plimsoll/api-client'
import { IconFilter2, IconFlameFilled, IconSearch } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { lazy, useState } from 'react'
import { Choice } from '../../components/choice.tsx'
import { Chip, ChipRow } from '../../components/chip.tsx'
import { FilterInput } from '../../components/filter-input.tsx'
import { MenuButton } from '../../components/menu-button.tsx'
import { ownerRulesQuery } from '../../components/owners/queries.ts'
import { formatOutcome } from '../../components/ssvc/outcome.ts'
import type { FindingsSearch } from '../../searches.ts'
import { meQuery, useWorkspaceId } from '../../session.ts'
import { membersQuery } from '../../workspace-queries.ts'
import {
  NOBODY,
  readGroup,
  readRecheckFilter,
  readSort,
  SORTS,
  stepText,
  formatYesterday,
} from './finding-filters.ts'
import css from './filter-bar.module.css'
import { countsQuery } from './queries.ts'

const AddFilterPanel = lazy(() => import('./add-filter-panel.tsx'))

interface FilterBarProps {
  search: FindingsSearch
  filter: WorkspaceFindingFilter
  onChange: (next: FindingsSearch) => void
}

export function FilterBar({ search, filter, onChange }: FilterBarProps) {
  const group = readGroup(search)
  const sort = readSort(search, group)
  return (
    <>
      <div className={css['bar']}>
        <FilterInput
          className={css['text']}
          aria-label="Filter by id, alias, or title"
          placeholder="Filter by id or title"
          leftSection={<IconSearch size={14} aria-hidden="true" />}
          value={search.q}
          onChange={(q) => onChange({ q })}
        />
        <ChipRow label="Filters">
          <CountedChips search={search} filter={filter} onChange={onChange} />
          <NarrowingChips search={search} onChange={onChange} />
          <AddFilter search={search} filter={filter} onChange={onChange} />
        </ChipRow>
        <Choice
          className={css['sort']}
          label="Sort by"
          options={SORTS[group].map(([value, text]) => ({ value, text: `Sort: ${text}` }))}
          value={sort}
          onChange={(chosen) =>
            onChange({ sort: chosen === 'Risk' || chosen === null ? undefined : chosen })
          }
        />
      </div>
      {sort === 'Risk' && <p className={css['rule']}>{RISK_RULE}</p>}
    </>
  )
}

const RISK_RULE =
  'By risk: exploited first, then what devices run, then severity, likelihood (EPSS) and number of devices.'

/** Each with the number of rows that the list has with it. */
function CountedChips({ search, filter, onChange }: FilterBarProps) {
  const counts = useCounts(search, filter)
  const { data: me } = useQuery(meQuery)
  const flag = (name: 'exploited' | 'overdue' | 'recheck') => ({
    isOn: search[name] === '1',
    onChange: (isOn: boolean) => onChange({ [name]: isOn ? '1' : undefined }),
    count: counts?.[name]?.totalCount,
  })
  return (
    <>
      <Chip
        isOn={search.show === undefined}
        onChange={(isOn) => onChange({ show: isOn ? undefined : 'active' })}
        count={counts?.toDecide?.totalCount}
      >
        To decide
      </Chip>
      {me && (
        <Chip
          isOn={search.assignee === me.id}
          onChange={(isOn) => onChange({ assignee: isOn ? me.id : undefined })}
          count={counts?.mine?.totalCount}
        >
          Mine
        </Chip>
      )}
      <Chip {...flag('exploited')} tone="danger">
        <IconFlameFilled size={13} aria-hidden="true" />
        Exploited
      </Chip>
      <Chip
        isOn={search.since !== undefined}
        onChange={(isOn) => onChange({ since: isOn ? '1' : undefined })}
        count={counts?.newSince?.totalCount}
      >
        New since yesterday
      </Chip>
      <Chip {...flag('overdue')}>Overdue</Chip>
      <Chip {...flag('recheck')}>Check again</Chip>
    </>
  )
}

/** The filter of `recheck` has decided findings too, so it is counted by itself. */
function useCounts(search: FindingsSearch, filter: WorkspaceFindingFilter) {
  const workspaceId = useWorkspaceId()
  const [today] = useState(() => new Date())
  const common = { group: readGroup(search), newSince: formatYesterday(today) }
  // Where all are shown, the chips would count the active ones, and the list has more.
  const active = search.show === 'all' ? [] : (['exploited', 'newSince'] as const)
  const chips = ['toDecide', 'mine', 'overdue', ...active] as const
  const recheck = {
    ...common,
    filter: readRecheckFilter(search, today),
    chips: ['recheck'] as const,
  }
  const { data } = useQuery(countsQuery(workspaceId, { ...common, filter, chips }))
  const { data: again } = useQuery(countsQuery(workspaceId, recheck))
  return data && { ...data, recheck: again?.recheck ?? null }
}

const DISPUTES = { yes: 'Disputed', no: 'Undisputed' }

/** What narrows the list beside: shown while it is on. */
function NarrowingChips({ search, onChange }: Omit<FilterBarProps, 'filter'>) {
  const { severity: step } = search
  const narrowing = [
    { name: 'severity', text: step && `Severity: ${stepText(step)}` },
    { name: 'ssvc', text: search.ssvc && `SSVC: ${formatOutcome(search.ssvc, false)}` },
    { name: 'component', text: search.component && `Component: ${search.component}` },
    { name: 'firmware', text: search.firmware && 'One firmware' },
    { name: 'version', text: search.version && 'One version' },
    { name: 'devices', text: search.devices && 'On devices' },
    { name: 'disputed', text: search.disputed && DISPUTES[search.disputed] },
    { name: 'assignee', text: useAssigneeText(search) },
  ]
  return narrowing
    .filter(({ text }) => text !== undefined)
    .map(({ name, text }) => (
      <Chip key={name} isOn isRemovable onChange={() => onChange({ [name]: undefined })}>
        {text}
      </Chip>
    ))
}

/** Names the colleague or the team, or nobody. One's own findings have another chip. */
function useAssigneeText({ assignee }: FindingsSearch): string | undefined {
  const workspaceId = useWorkspaceId()
  const { data: me } = useQuery(meQuery)
  const isOther = assignee !== undefined && assignee !== NOBODY && assignee !== me?.id
  const { data: members } = useQuery({ ...membersQuery(workspaceId), enabled: isOther })
  const { data: rules } = useQuery({ ...ownerRulesQuery(workspaceId), enabled: isOther })
  if (assignee === NOBODY) return 'Nobody’s'
  if (!isOther) return undefined
  const name =
    members?.find(({ subjectId }) => subjectId === assignee)?.displayName ??
    rules?.teams.find(({ id }) => id === assignee)?.name
  return name === undefined ? 'Somebody’s' : `Of ${name}`
}

function AddFilter(props: FilterBarProps) {
  return (
    <MenuButton panel={(target) => <AddFilterPanel target={target} {...props} />}>
      <button type="button" className={css['add']}>
        <IconFilter2 size={14} aria-hidden="true" />
        Add filter
      </button>
    </MenuButton>
  )
}
