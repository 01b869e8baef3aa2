import { Menu, useMantineColorScheme } from '@mantine/core'
import { IconChevronDown } from '@tabler/icons-react'
import { useSuspenseQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { api } from '../../api.ts'
import { meQuery, useWorkspaceId } from '../../session.ts'
import css from './rail.module.css'

const THEMES = [
  ['auto', 'As the system'],
  ['light', 'Light'],
  ['dark', 'Dark'],
] as const

export function PersonMenu() {
  const { data: me } = useSuspenseQuery(meQuery)
  const workspaceId = useWorkspaceId()
  const navigate = useNavigate()
  const { colorScheme, setColorScheme } = useMantineColorScheme()
  return (
    <Menu position="top-start" width={240}>
      <Menu.Target>
        <button type="button" className={css['place']}>
          <span className={css['initials']} aria-hidden="true">
            {initialsOf(me.displayName)}
          </span>
          <span className={css['name']}>
            {me.displayName}
            <span className="visually-hidden">: account and theme</span>
          </span>
          <IconChevronDown size={14} aria-hidden="true" />
        </button>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Label>{me.email}</Menu.Label>
        <Menu.Item
          onClick={() => void navigate({ to: '/w/$workspaceId/you', params: { workspaceId } })}
        >
          Password, second factor, sessions
        </Menu.Item>
        <Menu.Label>Theme</Menu.Label>
        {THEMES.map(([value, name]) => (
          <Menu.Item
            key={value}
            onClick={() => setColorScheme(value)}
            rightSection={colorScheme === value ? '✓' : undefined}
          >
            {name}
          </Menu.Item>
        ))}
        <Menu.Divider />
        <Menu.Item onClick={() => void signOut()}>Sign out</Menu.Item>
      </Menu.Dropdown>
    </Menu>
  )
}

/** The page is loaded anew, so that nothing of the person is left in memory. */
async function signOut(): Promise<void> {
  await api.post('/auth/sign-out', {})
  globalThis.location.assign('/sign-in')
}

function initialsOf(name: string): string {
  const words = name.split(/[\s.@]+/).filter(Boolean)
  return [words[0], words.length > 1 ? words.at(-1) : undefined]
    .map((word) => word?.charAt(0).toUpperCase() ?? '')
    .join('')
}
