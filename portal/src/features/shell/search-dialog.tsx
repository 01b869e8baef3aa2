/** Search from anywhere: vulnerabilities, firmware, components, devices, and pages. */
import { Modal } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import type { SearchResults } from '@plimsoll/api-client'
import { keepPreviousData, queryOptions, useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { type KeyboardEvent, useState } from 'react'
import { api } from '../../api.ts'
import { describeFailure } from '../../components/states.tsx'
import { useWorkspaceId } from '../../session.ts'
import css from './search-dialog.module.css'
import { findAddress, PAGES, type Target } from './search-targets.ts'

const TYPING_MS = 120

const searchQuery = (workspaceId: string, q: string) =>
  queryOptions({
    queryKey: ['search', workspaceId, q],
    queryFn: () =>
      api.get('/workspaces/{workspaceId}/search', {
        params: { workspaceId },
        query: { q, limit: '20' },
      }),
    enabled: q !== '',
    placeholderData: keepPreviousData,
  })

export default function SearchDialog({ onClose }: { onClose: () => void }) {
  const workspaceId = useWorkspaceId()
  const navigate = useNavigate()
  const [text, setText] = useState('')
  const [selected, setSelected] = useState(0)
  const [q] = useDebouncedValue(text.trim(), TYPING_MS)
  const { data, error } = useQuery(searchQuery(workspaceId, q))
  const targets = [...pagesFor(text), ...(q === '' ? [] : (data?.results ?? []))]
  const open = (target: Target | undefined) => {
    if (!target) return
    onClose()
    void navigate(findAddress(workspaceId, target))
  }
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === 'Enter') open(targets[selected])
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key]
    if (step === undefined) return
    event.preventDefault()
    setSelected((index) => Math.min(Math.max(index + step, 0), Math.max(targets.length - 1, 0)))
  }
  return (
    <Modal
      opened
      onClose={onClose}
      withCloseButton={false}
      padding={0}
      size={600}
      yOffset="12vh"
      centered={false}
      title={undefined}
    >
      <input
        data-autofocus
        className={css['input']}
        value={text}
        onChange={(event) => {
          setText(event.currentTarget.value)
          setSelected(0)
        }}
        onKeyDown={onKeyDown}
        placeholder="CVE id, firmware, component, device, or page"
        role="combobox"
        aria-label="Search"
        aria-expanded="true"
        aria-controls="search-results"
        aria-activedescendant={targets.length > 0 ? `search-${selected}` : undefined}
      />
      <ul id="search-results" className={css['results']} role="listbox" aria-label="Results">
        {targets.map((target, index) => (
          <li
            key={`${target.kind} ${target.id} ${target.title}`}
            id={`search-${index}`}
            role="option"
            aria-selected={index === selected}
            className={index === selected ? css['selected'] : undefined}
            onMouseMove={() => setSelected(index)}
            onClick={() => open(target)}
          >
            <span className={css['title']}>{target.title}</span>
            <span className={css['subtitle']}>{target.subtitle}</span>
            <span className={css['kind']}>{KINDS[target.kind]}</span>
          </li>
        ))}
      </ul>
      <p className={css['note']} role="status">
        {error ? describeFailure(error) : noteOf(q, data, targets.length)}
      </p>
    </Modal>
  )
}

const KINDS: Record<Target['kind'], string> = {
  Page: 'page',
  Vulnerability: 'vulnerability',
  Firmware: 'firmware',
  FirmwareVersion: 'version',
  Component: 'component',
  Device: 'device',
  DeploymentCohort: 'cohort',
  AlertRule: 'alert rule',
}

function pagesFor(text: string): Target[] {
  const wanted = text.trim().toLowerCase()
  return PAGES.filter(({ title }) => wanted === '' || title.toLowerCase().includes(wanted))
}

function noteOf(q: string, data: SearchResults | undefined, count: number): string {
  const id = data?.vulnerability
  if (q !== '' && id && !id.isHere)
    return id.isKnown
      ? `${id.cveId} is known to the sources, and no firmware version here has it. Open it to see what was looked at.`
      : `${id.cveId}: no source that is loaded knows this id.`
  if (q !== '' && data && count === 0) return `Nothing here is called “${q}”.`
  return '↑ ↓ choose, Enter opens, Esc closes'
}
