/** Gives the vulnerabilities of a selection to somebody. */
import type { WorkspaceFindingFilter } from '@plimsoll/api-client'
import { lazy } from 'react'
import { useMay } from '../../session.ts'
import { Button } from '../button.tsx'
import { MenuButton } from '../menu-button.tsx'

const AssignPanel = lazy(() => import('./assign-panel.tsx'))

/** Either of both. */
export interface AssignTarget {
  cveIds?: string[]
  filter?: WorkspaceFindingFilter
}

export interface AssignButtonProps {
  targets: readonly AssignTarget[]
  onSent: () => void
}

export function AssignButton(props: AssignButtonProps) {
  if (!useMay('Vulnerabilities: write')) return null
  return (
    <MenuButton panel={(target) => <AssignPanel target={target} {...props} />}>
      <Button size="small">Give to…</Button>
    </MenuButton>
  )
}
