import { IconChevronDown } from '@tabler/icons-react'
import { lazy } from 'react'
import { ProductSign } from '../../components/mark.tsx'
import { MenuButton } from '../../components/menu-button.tsx'
import { useWorkspace } from '../../session.ts'
import css from './rail.module.css'

const WorkspaceMenuPanel = lazy(() => import('./workspace-menu-panel.tsx'))

/** The workspace one is in, and the others of the person. */
export function WorkspaceMenu() {
  const here = useWorkspace()
  return (
    <MenuButton panel={(target) => <WorkspaceMenuPanel target={target} />}>
      <button type="button" className={css['switch']}>
        <ProductSign size={21} />
        <span className={css['name']}>
          {here?.name ?? 'Plimsoll'}
          <span className="visually-hidden">: switch the workspace</span>
        </span>
        <IconChevronDown size={14} aria-hidden="true" />
      </button>
    </MenuButton>
  )
}
