/** Who, what, about what, when: chosen from what there is. */
import { Select, type SelectProps } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import type {
  AuditLogCounts,
  AuditLogEntry,
  SearchResult,
  SearchResults,
} from '@plimsoll/api-client'
import { IconSearch } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { type ReactNode, useState } from 'react'
import { FilterInput } from '../../components/filter-input.tsx'
import { describeFailure } from '../../components/states.tsx'
import { formatCount } from '../../format/counts.ts'
import { AUDIT_TIMES, type AuditSearch } from '../../searches.ts'
import { useWorkspaceId } from '../../session.ts'
import css from './audit-page.module.css'
import {
  type AuditFilter,
  type AuditTime,
  formatDayInput,
  formatKinds,
  nameSubject,
  readKinds,
  readTime,
  TIME_WORDS,
  toggleKind,
} from './audit-filters.ts'
import { formatKind, KINDS } from './kind-words.ts'
import { auditCountsQuery, namedQuery } from './queries.ts'

interface FilterProps {
  search: AuditSearch
  filter: AuditFilter
  onChange: (next: AuditSearch) => void
}

interface FilterBarProps extends FilterProps {
  /** Those in the list, whose subjects have names. */
  entries: readonly AuditLogEntry[]
  acts: ReactNode
}

export function FilterBar({ entries, acts, ...props }: FilterBarProps) {
  const { search, onChange } = props
  return (
    <div className={css['bar']} data-paper="none" role="search" aria-label="Filter the audit log">
      <Who {...props} />
      <What {...props} />
      <About {...props} entries={entries} />
      <When {...props} />
      {readTime(search) === 'days' && (
        <>
          <FilterInput
            type="date"
            aria-label="From"
            className={css['date']}
            value={search.from}
            onChange={(from) => onChange({ from })}
          />
          <FilterInput
            type="date"
            aria-label="To"
            className={css['date']}
            value={search.to}
            onChange={(to) => onChange({ to })}
          />
        </>
      )}
      <FilterInput
        className={css['text']}
        aria-label="Text in an entry"
        placeholder="CVE, version, device, note"
        leftSection={<IconSearch size={14} aria-hidden="true" />}
        value={search.contains}
        onChange={(contains) => onChange({ contains })}
      />
      <div className={css['acts']}>{acts}</div>
    </div>
  )
}

/** Stands for no choice: a list of Mantine has no option without a value. */
const ALL = '*'

interface Option {
  value: string
  label: string
  /** Beside it: how many entries it has, or what it is. */
  count?: number | undefined
  note?: string
}

interface PickProps extends Omit<SelectProps, 'value' | 'onChange' | 'data'> {
  label: string
  options: readonly Option[]
  value: string | undefined
  onPick: (value: string | undefined) => void
}

function Pick({ label, options, value, onPick, ...select }: PickProps) {
  const notes = new Map(options.map((one) => [one.value, one.note ?? formatKnown(one.count)]))
  return (
    <Select
      aria-label={label}
      className={css['pick']}
      leftSection={<span className={css['label']}>{label}</span>}
      leftSectionWidth={52}
      maxDropdownHeight={400}
      // Within the page, so that it is part of a landmark.
      comboboxProps={{ width: 300, position: 'bottom-start', portalProps: { target: '#page' } }}
      data={options.map((one) => ({ value: one.value, label: one.label }))}
      value={value ?? ALL}
      onChange={(chosen) => onPick(chosen === ALL || chosen === null ? undefined : chosen)}
      renderOption={({ option }) => (
        <span className={css['option']}>
          <span>{option.label}</span>
          <span>{notes.get(option.value)}</span>
        </span>
      )}
      {...select}
    />
  )
}

const formatKnown = (count: number | undefined) => (count === undefined ? '' : formatCount(count))

/** Counts what the list would have without this filter. */
function useChoices({ actor, actorType, kinds, ...filter }: AuditFilter, without: 'who' | 'what') {
  const kept =
    without === 'who'
      ? { ...filter, ...(kinds !== undefined && { kinds }) }
      : { ...filter, ...(actor !== undefined && { actor }), ...(actorType && { actorType }) }
  return useQuery(auditCountsQuery(useWorkspaceId(), kept)).data
}

const ALL_OF_TYPE: Record<string, string> = {
  User: 'All people',
  ApiKey: 'All keys',
  System: 'The service',
  Operator: 'The operator',
  Device: 'Devices',
}

function Who({ search: { actor }, filter, onChange }: FilterProps) {
  const counts = useChoices(filter, 'who')
  const actors = (counts?.actors ?? []).map((one) => ({
    value: readActor(one),
    label: nameActor(one),
    count: one.count,
  }))
  const types = (['User', 'ApiKey'] as const).map((type) => ({
    value: type,
    label: ALL_OF_TYPE[type] ?? type,
  }))
  const known = [{ value: ALL, label: 'Everybody', count: counts?.count }, ...types, ...actors]
  const isKnown = actor === undefined || known.some(({ value }) => value === actor)
  const options = isKnown ? known : [...known, { value: actor, label: ALL_OF_TYPE[actor] ?? actor }]
  return (
    <Pick
      label="Who"
      options={options}
      value={actor}
      searchable
      nothingFoundMessage="Nobody of that name acted then"
      onPick={(next) => onChange({ actor: next })}
    />
  )
}

type Actor = AuditLogCounts['actors'][number]

const readActor = ({ actorType, actorId, actorEmail }: Actor) => actorId ?? actorEmail ?? actorType

function nameActor({ actorType, actorId, actorEmail, name }: Actor): string {
  if (actorType === 'ApiKey') return `Key ${name ?? actorId ?? ''}`
  return name ?? actorEmail ?? actorId ?? ALL_OF_TYPE[actorType] ?? actorType
}

/** A choice adds its kind, and takes away one that was chosen. */
function What({ search, filter, onChange }: FilterProps) {
  const { action } = search
  const counts = useChoices(filter, 'what')
  const ofKind = new Map(counts?.kinds.map((one) => [one.kind, one.count]))
  const chosen = readKinds(search)
  const several = chosen.length > 1 ? chosen.join(',') : undefined
  const kinds = KINDS.map((one) => ({
    value: one,
    label: several !== undefined && chosen.includes(one) ? `✓ ${formatKind(one)}` : formatKind(one),
    count: counts && (ofKind.get(one) ?? 0),
  }))
  const all = {
    value: ALL,
    label: action === undefined ? 'Everything' : action,
    count: counts?.count,
  }
  return (
    <Pick
      label="What"
      options={[
        all,
        ...(several === undefined ? [] : [{ value: several, label: formatKinds(search) }]),
        ...kinds,
      ]}
      value={several ?? chosen[0]}
      onPick={(next) => onChange({ kind: next && toggleKind(search, next), action: undefined })}
    />
  )
}

const TYPING_MS = 150

/** The subjects that a search finds; components are no subjects of entries. */
const SUBJECTS: Readonly<Partial<Record<SearchResult['kind'], string>>> = {
  Vulnerability: 'vulnerability',
  Firmware: 'firmware',
  FirmwareVersion: 'firmware-version',
  Device: 'device',
  DeploymentCohort: 'deployment-cohort',
  AlertRule: 'alert-rule',
}

const NOTES: Readonly<Record<string, string>> = {
  'firmware-version': 'version',
  'deployment-cohort': 'cohort',
  'alert-rule': 'alert rule',
}

function About(props: FilterProps & Pick<FilterBarProps, 'entries'>) {
  const { search, onChange, entries } = props
  const { subject } = search
  const [typed, setTyped] = useState('')
  const [q] = useDebouncedValue(typed.trim(), TYPING_MS)
  const current = subject === undefined ? 'Anything' : nameSubject(subject, entries)
  const isTyped = typed !== '' && typed !== current
  const [isOpen, setOpen] = useState(false)
  const { data, error, isPlaceholderData } = useQuery(
    namedQuery(useWorkspaceId(), isTyped ? q : ''),
  )
  const isFound = data !== undefined && !isPlaceholderData && q === typed.trim()
  const options = isTyped
    ? listFound(data)
    : [
        { value: ALL, label: 'Anything' },
        ...(subject === undefined ? [] : [{ value: subject, label: current }]),
      ]
  return (
    <Pick
      label="About"
      options={options}
      value={subject}
      searchable
      dropdownOpened={isOpen}
      onDropdownOpen={() => setOpen(true)}
      onDropdownClose={() => setOpen(false)}
      // Results come after what was typed, so that none is highlighted: Enter takes the first.
      onKeyDown={({ key, currentTarget }) => {
        const isChosen = currentTarget.hasAttribute('aria-activedescendant')
        if (key !== 'Enter' || isChosen || !isTyped || !isFound || !options[0]) return
        setOpen(false)
        onChange({ subject: options[0].value })
      }}
      // The service has searched.
      filter={({ options: all }) => all}
      onSearchChange={setTyped}
      nothingFoundMessage={
        error ? describeFailure(error) : isFound ? 'Nothing here is called that' : 'Searching…'
      }
      onPick={(next) => onChange({ subject: next })}
    />
  )
}

/** A vulnerability of before may be in no finding of now. */
function listFound(data: SearchResults | undefined): Option[] {
  const found = data?.results.flatMap(readSubject) ?? []
  const cveId = data?.vulnerability?.cveId
  const value = `vulnerability:${cveId}`
  return cveId === undefined || found.some((one) => one.value === value)
    ? found
    : [{ value, label: cveId, note: 'vulnerability' }, ...found]
}

function readSubject({ kind, id, title, subtitle }: SearchResult): Option[] {
  const type = SUBJECTS[kind]
  if (type === undefined) return []
  const label = kind === 'FirmwareVersion' ? `${subtitle ?? ''} ${title}`.trim() : title
  return [{ value: `${type}:${id}`, label, note: NOTES[type] ?? type }]
}

function When({ search, onChange }: FilterProps) {
  const options = [
    ...AUDIT_TIMES.map((value) => ({ value, label: TIME_WORDS[value] })),
    { value: 'days', label: 'Days…' },
  ]
  const pick = (time: AuditTime) => {
    if (time !== 'days') return onChange({ when: time, from: undefined, to: undefined })
    const now = new Date()
    onChange({ when: undefined, from: formatDayInput(now, 6), to: formatDayInput(now) })
  }
  return (
    <Pick
      label="When"
      options={options}
      value={readTime(search)}
      onPick={(next) => pick((next ?? 'any') as AuditTime)}
    />
  )
}
