import { Menu } from '@mantine/core'
import { IconChevronDown } from '@tabler/icons-react'
import { useSuspenseQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { ProductSign } from '../../components/mark.tsx'
import { useWorkspace, workspacesQuery } from '../../session.ts'
import css from './rail.module.css'

/** The workspace one is in, and the others of the person. */
export function WorkspaceMenu() {
  const { data: workspaces } = useSuspenseQuery(workspacesQuery)
  const here = useWorkspace()
  const navigate = useNavigate()
  return (
    <Menu position="bottom-start" width={240}>
      <Menu.Target>
        <button type="button" className={css['switch']}>
          <ProductSign size={21} />
          <span className={css['name']}>
            {here?.name ?? 'Plimsoll'}
            <span className="visually-hidden">: switch the workspace</span>
          </span>
          <IconChevronDown size={14} aria-hidden="true" />
        </button>
      </Menu.Target>
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
