import { IconChevronDown } from '@tabler/icons-react'
import { useMutation } from '@tanstack/react-query'
import { lazy, Suspense, useState } from 'react'
import { Button } from '../../components/button.tsx'
import { MenuButton } from '../../components/menu-button.tsx'
import { describeFailure } from '../../components/states.tsx'
import { useWorkspaceId } from '../../session.ts'
import { downloadSbom } from './exports.ts'

const ExportPanel = lazy(() => import('./export-panel.tsx'))
const BadgeDialog = lazy(() => import('./badge-dialog.tsx'))

/** Everything that leaves the house about a version. */
export function ExportMenu({ versionId }: { versionId: string }) {
  const workspaceId = useWorkspaceId()
  const download = useMutation({ mutationFn: (id: string) => downloadSbom(workspaceId, id) })
  const [isBadgeOpen, setBadgeOpen] = useState(false)
  return (
    <>
      {download.error && <span role="alert">{describeFailure(download.error)}</span>}
      <MenuButton
        panel={(target) => (
          <ExportPanel
            target={target}
            versionId={versionId}
            onBadge={() => setBadgeOpen(true)}
            onSbom={(id) => download.mutate(id)}
          />
        )}
      >
        <Button>
          Export <IconChevronDown size={14} aria-hidden="true" />
        </Button>
      </MenuButton>
      {isBadgeOpen && (
        <Suspense>
          <BadgeDialog versionId={versionId} onClose={() => setBadgeOpen(false)} />
        </Suspense>
      )}
    </>
  )
}
