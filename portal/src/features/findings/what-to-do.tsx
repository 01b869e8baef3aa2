import { formatDate } from '../../format/dates.ts'
import css from './finding-parts.module.css'
import type { Finding, Vulnerability } from './queries.ts'
import { FixedIn } from './where.tsx'

/** The fix upstream, and which of our versions hold it already. */
export function WhatToDo({
  finding,
  fixedIn,
}: {
  finding: Finding
  fixedIn: Vulnerability['fixedIn']
}) {
  const { fixedVersions, knownExploit, component } = finding
  const due = knownExploit?.dueDate ?? undefined
  return (
    <div className={css['todo']}>
      {fixedVersions.length > 0 ? (
        <p>
          Fixed upstream: update <strong>{component.name}</strong> to{' '}
          <code>{fixedVersions.join(', ')}</code> or later.
        </p>
      ) : (
        <p>No source names a version that holds the fix.</p>
      )}
      {fixedIn.length > 0 && <FixedIn fixedIn={fixedIn} />}
      {due !== undefined && <p>CISA asks agencies to act by {formatDate(due)}.</p>}
      {knownExploit?.ransomware === true && <p>Used by ransomware, says CISA.</p>}
    </div>
  )
}
