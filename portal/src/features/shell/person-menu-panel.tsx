import { Menu, useMantineColorScheme } from '@mantine/core'
import { useSuspenseQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import type { ReactElement } from 'react'
import { useOpenedMenu } from '../../components/menu-button.tsx'
import { api } from '../../api.ts'
import { mayLeave } from '../../components/unsaved.ts'
import { meQuery, useWorkspaceId } from '../../session.ts'

const THEMES = [
  ['auto', 'As the system'],
  ['light', 'Light'],
  ['dark', 'Dark'],
] as const

export default function PersonMenuPanel({ target }: { target: ReactElement }) {
  const { data: me } = useSuspenseQuery(meQuery)
  const workspaceId = useWorkspaceId()
  const navigate = useNavigate()
  const { colorScheme, setColorScheme } = useMantineColorScheme()
  const menu = useOpenedMenu()
  return (
    <Menu {...menu} position="top-start" width={240}>
      <Menu.Target>{target}</Menu.Target>
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
        <Menu.Item component="a" href="/docs/guide">
          Guides
        </Menu.Item>
        <Menu.Item onClick={() => void signOut()}>Sign out</Menu.Item>
      </Menu.Dropdown>
    </Menu>
  )
}

/** The page is loaded anew, so that nothing of the person is left in memory. */
async function signOut(): Promise<void> {
  if (!(await mayLeave(document, true))) return
  await api.post('/auth/sign-out', {})
  sessionStorage.clear()
  globalThis.location.assign('/sign-in')
}
