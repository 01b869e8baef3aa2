import { Menu } from '@mantine/core'
import { useSuspenseQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import type { ReactElement } from 'react'
import { useOpenedMenu } from '../../components/menu-button.tsx'
import { workspacesQuery } from '../../session.ts'

export default function WorkspaceMenuPanel({ target }: { target: ReactElement }) {
  const { data: workspaces } = useSuspenseQuery(workspacesQuery)
  const navigate = useNavigate()
  const menu = useOpenedMenu()
  return (
    <Menu {...menu} position="bottom-start" width={240}>
      <Menu.Target>{target}</Menu.Target>
      <Menu.Dropdown>
        <Menu.Label>Workspaces</Menu.Label>
        {workspaces.map(({ id, name, role }) => (
          <Menu.Item
            key={id}
            onClick={() => void navigate({ to: '/w/$workspaceId', params: { workspaceId: id } })}
            rightSection={role}
          >
            {name}
          </Menu.Item>
        ))}
      </Menu.Dropdown>
    </Menu>
  )
}
