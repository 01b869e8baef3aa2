/** Search from anywhere: vulnerabilities, firmware, components, devices, and pages. */
import { useDebouncedValue } from '@mantine/hooks'
import type { SearchResults } from '@plimsoll/api-client'
import { keepPreviousData, queryOptions, useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { type KeyboardEvent, useEffect, useLayoutEffect, useRef, useState } from 'react'
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

/** In the first script of the portal: the field is there at the key press, so that no letter is lost. */
export function SearchDialog({ onClose }: { onClose: () => void }) {
  const dialog = useModal()
  const [text, setText] = useState('')
  const { q, results, isFound, note } = useResults(text)
  const [selected, setSelected] = useState(0)
  const [isEntered, setEntered] = useState(false)
  const open = useOpen(onClose)
  const pages = pagesFor(text)
  const targets = [...pages, ...results]
  const isReady = selected < pages.length || isFound
  // Enter is kept until what was typed is found.
  useEffect(() => {
    if (!isEntered || !isReady) return
    setEntered(false)
    open(targets[selected])
  })
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === 'Enter') setEntered(true)
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key]
    if (step === undefined) return
    event.preventDefault()
    setSelected((index) => Math.min(Math.max(index + step, 0), Math.max(targets.length - 1, 0)))
  }
  return (
    <dialog
      ref={dialog}
      className={css['dialog']}
      aria-label="Search"
      onCancel={(event) => {
        event.preventDefault()
        onClose()
      }}
      onClick={({ target, currentTarget }) => target === currentTarget && onClose()}
    >
      <input
        className={css['input']}
        value={text}
        onChange={(event) => {
          setText(event.currentTarget.value)
          setSelected(0)
          setEntered(false)
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
        {note ?? nothingCalled(q, isFound, targets.length)}
      </p>
    </dialog>
  )
}

/** Shown over the page, with the focus in its first field; the focus goes back at the end. */
function useModal() {
  const dialog = useRef<HTMLDialogElement>(null)
  useLayoutEffect(() => {
    const { current } = dialog
    current?.showModal()
    return () => current?.close()
  }, [])
  return dialog
}

/** What the service finds of the text, a little after it was typed. */
function useResults(text: string) {
  const workspaceId = useWorkspaceId()
  const [q] = useDebouncedValue(text.trim(), TYPING_MS)
  const { data, error, isPlaceholderData } = useQuery(searchQuery(workspaceId, q))
  const isAnswered = error !== null || (data !== undefined && !isPlaceholderData)
  return {
    q,
    results: q === '' ? [] : (data?.results ?? []),
    isFound: q === text.trim() && (q === '' || isAnswered),
    note: error ? describeFailure(error) : noteOf(q, data),
  }
}

function useOpen(onClose: () => void) {
  const workspaceId = useWorkspaceId()
  const navigate = useNavigate()
  return (target: Target | undefined) => {
    if (!target) return
    onClose()
    void navigate(findAddress(workspaceId, target))
  }
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

function noteOf(q: string, data: SearchResults | undefined): string | undefined {
  const id = data?.vulnerability
  if (q === '' || !id || id.isHere) return undefined
  return id.isKnown
    ? `${id.cveId} is known to the sources, and no firmware version here has it. Open it to see what was looked at.`
    : `${id.cveId}: no source that is loaded knows this id.`
}

function nothingCalled(q: string, isFound: boolean, count: number): string {
  return q !== '' && isFound && count === 0
    ? `Nothing here is called “${q}”.`
    : '↑ ↓ choose, Enter opens, Esc closes'
}
