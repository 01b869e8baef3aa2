/** Suppliers' advisories that count in this workspace: how far each feed is read, and what it changes. */
import type { SupplierFeed } from '@plimsoll/api-client'
import { useDisclosure } from '@mantine/hooks'
import { useQuery } from '@tanstack/react-query'
import { getRouteApi, Link } from '@tanstack/react-router'
import { Button } from '../../components/button.tsx'
import { Dialog } from '../../components/dialog.tsx'
import type { ListFile } from '../../components/download-csv.ts'
import { ListPanel } from '../../components/list-panel.tsx'
import { useListed } from '../../components/listed.tsx'
import { Page } from '../../components/page.tsx'
import { Empty } from '../../components/states.tsx'
import { TopBar } from '../../components/top-bar.tsx'
import { useMay, useWorkspaceId } from '../../session.ts'
import { AffectedPanel, DocumentsPanel } from './detail-panels.tsx'
import { FeedForm } from './feed-form.tsx'
import { FeedRow } from './feed-row.tsx'
import { feedsQuery } from './queries.ts'
import css from './suppliers.module.css'

const route = getRouteApi('/w/$workspaceId/settings/suppliers')

export function SuppliersPage() {
  const workspaceId = useWorkspaceId()
  const mayWrite = useMay('Vulnerabilities: write')
  const { feed: opened, show } = route.useSearch()
  const query = useQuery(feedsQuery(workspaceId))
  const feeds = query.data?.supplierFeeds
  const feed = feeds?.find(({ id }) => id === opened)
  return (
    <>
      <TopBar
        title="Suppliers’ advisories"
        trail={[
          <Link key="settings" to="/w/$workspaceId/settings" params={{ workspaceId }}>
            Settings
          </Link>,
        ]}
      />
      <Page>
        <ListPanel
          query={query}
          rows={feeds}
          loadingRows={3}
          title="Suppliers’ feeds"
          note="CSAF documents that decide findings of this workspace, where no person has decided"
          aside={mayWrite && <Subscribe />}
          empty={
            <Empty title="No supplier yet">
              {mayWrite
                ? 'Chip vendors and makers of modules publish which vulnerabilities affect their products. Subscribe with the name of a supplier and its address, such as psirt.example.com.'
                : 'Who may decide findings subscribes to the advisories of suppliers here.'}
            </Empty>
          }
        >
          {(rows) => <Feeds feeds={rows} mayWrite={mayWrite} />}
        </ListPanel>
        {feed && show === 'affected' && <AffectedPanel key={feed.id} feed={feed} />}
        {feed && show === 'documents' && <DocumentsPanel key={feed.id} feed={feed} />}
      </Page>
    </>
  )
}

const FILE: ListFile<SupplierFeed> = {
  name: 'supplier-feeds',
  columns: [
    'name',
    'url',
    'state',
    'standing',
    'error',
    'notice',
    'checkedAt',
    'completedAt',
    'nextReadAt',
    ['read', ({ documents }) => documents.read],
    ['refused', ({ documents }) => documents.refused],
    ['notFetched', ({ documents }) => documents.notFetched],
    ['withdrawn', ({ documents }) => documents.withdrawn],
    ['decidedFindings', ({ effects }) => effects.decidedCount],
    ['affectedWithoutFinding', ({ effects }) => effects.affectedWithoutFindingCount],
  ],
}

function Feeds({ feeds, mayWrite }: { feeds: readonly SupplierFeed[]; mayWrite: boolean }) {
  const { menu } = useListed({ list: 'supplier-feeds', csv: FILE }, [], feeds)
  return (
    <>
      {menu}
      <ul className={css['feeds']}>
        {feeds.map((feed) => (
          <FeedRow key={feed.id} feed={feed} mayWrite={mayWrite} />
        ))}
      </ul>
    </>
  )
}

function Subscribe() {
  const [isOpen, dialog] = useDisclosure(false)
  return (
    <>
      <Button size="small" aria-haspopup="dialog" onClick={dialog.open}>
        Subscribe
      </Button>
      <Dialog opened={isOpen} onClose={dialog.close} title="Subscribe to a supplier">
        <FeedForm known={undefined} onDone={dialog.close} />
      </Dialog>
    </>
  )
}
