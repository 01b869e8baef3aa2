/** Gives the vulnerabilities of a selection to somebody. */
import { lazy } from 'react'
import { useMay } from '../../session.ts'
import { Button } from '../button.tsx'
import { MenuButton } from '../menu-button.tsx'
import type { AssignButtonProps } from './queries.ts'

const AssignPanel = lazy(() => import('./assign-panel.tsx'))

export function AssignButton(props: AssignButtonProps) {
  if (!useMay('Vulnerabilities: write')) return null
  return (
    <MenuButton panel={(target) => <AssignPanel target={target} {...props} />}>
      <Button size="small">Give to…</Button>
    </MenuButton>
  )
}
