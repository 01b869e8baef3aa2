/** Whether anybody outside can read what was published, in one sentence. */
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { publisherQuery } from '../../components/advisories/queries.ts'
import { formatCountOf } from '../../format/counts.ts'
import { useMay, useWorkspaceId } from '../../session.ts'
import css from './advisories.module.css'

export function PublicState() {
  const workspaceId = useWorkspaceId()
  const enabled = useMay('Workspace settings: read')
  const { data } = useQuery({ ...publisherQuery(workspaceId), enabled })
  if (!data) return null
  const count = formatCountOf(data.publishedCount, 'published advisory', 'published advisories')
  return (
    <p className={css['public']}>
      {data.isPublic ? (
        <>
          Everybody can read {count} as {data.publishesAs}:{' '}
          <a href={data.pageUrl} target="_blank" rel="noopener">
            the public page
          </a>
          .
        </>
      ) : (
        <>
          Nobody outside can read anything: the public path is off, {count} would be on it.{' '}
          <Link to="/w/$workspaceId/settings/advisories" params={{ workspaceId }}>
            How they are published
          </Link>
        </>
      )}
    </p>
  )
}
