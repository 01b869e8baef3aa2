import { IconHistory, IconMenu2, IconSearch } from '@tabler/icons-react'
import { Link } from '@tanstack/react-router'
import { Fragment, type ReactNode, useEffect } from 'react'
import { formatAgo } from '../format/dates.ts'
import { useWorkspaceId } from '../session.ts'
import { findAuditLog } from './addresses.ts'
import { useShell } from './shell-context.ts'
import css from './top-bar.module.css'

const PRODUCT = 'Plimsoll'
const isApple = /Mac|iPhone|iPad/.test(navigator.userAgent)

export interface TopBarProps {
  /** Names the page, and the tab of the browser. */
  title: string
  /** Links to the pages above, outermost first. */
  trail?: readonly ReactNode[]
  /** In place of the title, where it holds more than text. */
  children?: ReactNode
  /** What the page is about, as the audit log names it: `device:pump-1`. */
  subject?: string
}

/** The line over every page: where one is, whether it is live, the search. */
export function TopBar({ title, trail = [], children, subject }: TopBarProps) {
  const { openSearch, openRail } = useShell()
  useEffect(() => {
    document.title = `${title} · ${PRODUCT}`
  }, [title])
  return (
    <header className={css['bar']}>
      <button
        type="button"
        className={css['menu']}
        onClick={openRail}
        aria-label="Open the menu"
        data-paper="none"
      >
        <IconMenu2 size={20} />
      </button>
      <nav className={css['trail']} aria-label="You are here">
        {trail.map((link, index) => (
          <Fragment key={index}>
            {link}
            <span aria-hidden="true">/</span>
          </Fragment>
        ))}
        <h1>{children ?? title}</h1>
      </nav>
      {subject !== undefined && <WhatWasDone subject={subject} />}
      <Live />
      <button type="button" className={css['search']} onClick={openSearch} data-paper="none">
        <IconSearch size={15} aria-hidden="true" />
        <span>Search CVE, version, component…</span>
        <kbd>{isApple ? '⌘K' : 'Ctrl K'}</kbd>
      </button>
    </header>
  )
}

function WhatWasDone({ subject }: { subject: string }) {
  const workspaceId = useWorkspaceId()
  return (
    <Link
      className={css['done']}
      {...findAuditLog(workspaceId, subject)}
      title="Who did what with it, in the audit log"
      data-paper="none"
    >
      <IconHistory size={14} aria-hidden="true" />
      <span>Who did what</span>
    </Link>
  )
}

function Live() {
  const { silentSince } = useShell()
  if (silentSince === undefined)
    return (
      <span className={css['live']} role="status" data-paper="none">
        Live
      </span>
    )
  return (
    <span className={`${css['live']} ${css['silent']}`} role="status">
      Not live: as of {formatAgo(new Date(silentSince))}
    </span>
  )
}
