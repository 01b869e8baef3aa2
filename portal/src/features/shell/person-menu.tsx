import { IconChevronDown } from '@tabler/icons-react'
import { useSuspenseQuery } from '@tanstack/react-query'
import { lazy } from 'react'
import { pickInitials } from '../../components/audit/told-actor.ts'
import { MenuButton } from '../../components/menu-button.tsx'
import { meQuery } from '../../session.ts'
import css from './rail.module.css'

const PersonMenuPanel = lazy(() => import('./person-menu-panel.tsx'))

export function PersonMenu() {
  const { data: me } = useSuspenseQuery(meQuery)
  return (
    <MenuButton panel={(target) => <PersonMenuPanel target={target} />}>
      <button type="button" className={css['place']}>
        <span className={css['initials']} aria-hidden="true">
          {pickInitials(me.displayName)}
        </span>
        <span className={css['name']}>
          {me.displayName}
          <span className="visually-hidden">: account and theme</span>
        </span>
        <IconChevronDown size={14} aria-hidden="true" />
      </button>
    </MenuButton>
  )
}
