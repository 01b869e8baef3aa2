/** The saved views of the list as addresses. */
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { pickViewed, savedViewsQuery } from '../../components/saved-views/queries.ts'
import { DEVICES, type DevicesSearch, readSearch, writeSearch } from '../../searches.ts'
import { useWorkspaceId } from '../../session.ts'
import css from './devices.module.css'

export function DeviceViews({ search }: { search: DevicesSearch }) {
  const workspaceId = useWorkspaceId()
  const { data } = useQuery(savedViewsQuery(workspaceId, 'devices'))
  if (!data || data.savedViews.length === 0) return null
  const here = pickViewed(writeSearch(search))
  const views = data.savedViews.map(({ id, name, search: saved }) => ({ id, name, saved }))
  return (
    <nav className={css['views']} aria-label="Views">
      {[{ id: 'all', name: 'Blind spots first', saved: '' }, ...views].map(
        ({ id, name, saved }) => (
          <Link
            key={id}
            to="/w/$workspaceId/devices"
            params={{ workspaceId }}
            search={DEVICES.parse(readSearch(saved))}
            aria-current={saved === here ? 'true' : undefined}
            activeProps={{}}
          >
            {name}
          </Link>
        ),
      )}
    </nav>
  )
}
