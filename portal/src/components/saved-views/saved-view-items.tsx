/** The saved views of a list, in its menu. */
import { Menu } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useLocation, useNavigate } from '@tanstack/react-router'
import { useWorkspaceId } from '../../session.ts'
import { savedViewsQuery, type ViewedList } from './queries.ts'

export function SavedViewItems({ list, onViews }: { list: ViewedList; onViews: () => void }) {
  const { data, error } = useQuery(savedViewsQuery(useWorkspaceId(), list))
  const { pathname } = useLocation()
  const navigate = useNavigate()
  return (
    <>
      <Menu.Label>Views</Menu.Label>
      {error && <Menu.Item disabled>The saved views could not be read.</Menu.Item>}
      {data?.savedViews.map(({ id, name, search, isYours, ownerName }) => (
        <Menu.Item key={id} onClick={() => void navigate({ href: `${pathname}${search}` })}>
          {isYours ? name : `${name} (${ownerName ?? 'shared'})`}
        </Menu.Item>
      ))}
      <Menu.Item onClick={onViews}>Save or change views…</Menu.Item>
      <Menu.Divider />
    </>
  )
}
