import { Modal } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Copyable } from '../../components/copyable.tsx'
import { Failure, Loading } from '../../components/states.tsx'
import { useWorkspaceId } from '../../session.ts'
import { badgeQuery } from './queries.ts'

interface BadgeDialogProps {
  versionId: string
  onClose: () => void
}

/** The picture with the mark of a version, and what shows it elsewhere. */
export default function BadgeDialog({ versionId, onClose }: BadgeDialogProps) {
  const { data, error, refetch } = useQuery(badgeQuery(useWorkspaceId(), versionId))
  return (
    <Modal opened onClose={onClose} title="Badge for a README">
      {error && <Failure error={error} onRetry={() => void refetch()} />}
      {!data && !error && <Loading rows={3} />}
      {data && (
        <>
          <p>
            <img src={data.url} alt="The badge as it is now" />
          </p>
          <p>
            It shows the mark of this version as it is when somebody looks. Whoever has the address
            sees it without signing in: name and mark, and nothing else.
          </p>
          <p>
            Markdown: <Copyable label="Markdown" text={`![Firmware](${data.url})`} />
          </p>
          <p>
            Address: <Copyable label="Address" text={data.url} />
          </p>
        </>
      )}
    </Modal>
  )
}
