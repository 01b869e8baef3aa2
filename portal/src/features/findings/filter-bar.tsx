import { Menu, Select, TextInput } from '@mantine/core'
import { useDebouncedCallback } from '@mantine/hooks'
import { IconFilter2, IconFlameFilled, IconSearch } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { Chip, ChipRow } from '../../components/chip.tsx'
import { useWorkspaceId } from '../../session.ts'
import {
  type FindingFilter,
  type FindingsSearch,
  type SeverityStep,
  SEVERITY_STEPS,
  severityStepOf,
  sortOf,
  SORTS,
} from './finding-filters.ts'
import css from './filter-bar.module.css'
import { countsQuery } from './queries.ts'

const TYPING_MS = 150

interface FilterBarProps {
  search: FindingsSearch
  filter: FindingFilter
  onChange: (next: FindingsSearch) => void
}

export function FilterBar({ search, filter, onChange }: FilterBarProps) {
  const type = useDebouncedCallback((q: string) => onChange({ q }), TYPING_MS)
  return (
    <div className={css['bar']}>
      <TextInput
        className={css['text']}
        aria-label="Filter by id, alias, or title"
        placeholder="Filter by id or title"
        leftSection={<IconSearch size={14} aria-hidden="true" />}
        defaultValue={search.q ?? ''}
        onChange={(event) => type(event.currentTarget.value)}
      />
      <ChipRow label="Filters">
        <CountedChips search={search} filter={filter} onChange={onChange} />
        <NarrowingChips search={search} onChange={onChange} />
        <AddFilter search={search} onChange={onChange} />
      </ChipRow>
      <Select
        className={css['sort']}
        aria-label="Sort by"
        data={SORTS.map(([value, text]) => ({ value, label: `Sort: ${text}` }))}
        value={sortOf(search)}
        onChange={(sort) => onChange({ sort: sort === 'Risk' || sort === null ? undefined : sort })}
      />
    </div>
  )
}

/** Each with the number of rows that the list has with it. */
function CountedChips({ search, filter, onChange }: FilterBarProps) {
  const workspaceId = useWorkspaceId()
  const { data: counts } = useQuery(countsQuery(workspaceId, filter))
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

/** What narrows the list beside: shown while it is on. */
function NarrowingChips({ search, onChange }: Omit<FilterBarProps, 'filter'>) {
  const step = severityStepOf(search)
  const narrowing = [
    { name: 'severity', text: step && `Severity: ${stepText(step)}` },
    { name: 'component', text: search.component && `Component: ${search.component}` },
    { name: 'firmware', text: search.firmware && 'One firmware' },
    { name: 'version', text: search.version && 'One version' },
    { name: 'devices', text: search.devices && 'On devices' },
  ]
  return narrowing
    .filter(({ text }) => text !== undefined && text !== '')
    .map(({ name, text }) => (
      <Chip key={name} isOn isRemovable onChange={() => onChange({ [name]: undefined })}>
        {text}
      </Chip>
    ))
}

function stepText(step: SeverityStep): string {
  return step === 'Critical' ? step : `${step} or worse`
}

function AddFilter({ search, onChange }: Omit<FilterBarProps, 'filter'>) {
  return (
    <Menu>
      <Menu.Target>
        <button type="button" className={css['add']}>
          <IconFilter2 size={14} aria-hidden="true" />
          Add filter
        </button>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Label>Severity</Menu.Label>
        {SEVERITY_STEPS.map((step) => (
          <Menu.Item key={step} onClick={() => onChange({ severity: step })}>
            {stepText(step)}
          </Menu.Item>
        ))}
        <Menu.Label>Devices</Menu.Label>
        <Menu.Item onClick={() => onChange({ devices: '1' })}>Only what devices run</Menu.Item>
        <Menu.Label>Decisions</Menu.Label>
        <Menu.Item onClick={() => onChange({ show: 'active' })} disabled={search.show === 'active'}>
          All active
        </Menu.Item>
        <Menu.Item onClick={() => onChange({ show: 'all' })} disabled={search.show === 'all'}>
          Ignored and settled ones too
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  )
}
