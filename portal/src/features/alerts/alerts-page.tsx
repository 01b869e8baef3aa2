/** What fires now and fired before, what is watched, and who is told. */
import { useQuery } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { Page } from '../../components/page.tsx'
import { Tabs } from '../../components/tabs.tsx'
import { TopBar } from '../../components/top-bar.tsx'
import { useWorkspaceId } from '../../session.ts'
import css from './alerts.module.css'
import { DeliveriesTab } from './deliveries-tab.tsx'
import { IncidentsTab } from './incidents-tab.tsx'
import { rulesQuery } from './queries.ts'
import { RulesTab } from './rules-tab.tsx'
import { TargetsTab } from './targets-tab.tsx'

export function AlertsPage() {
  const workspaceId = useWorkspaceId()
  const search: Record<string, string | undefined> = useSearch({ from: '/w/$workspaceId/alerts' })
  const navigate = useNavigate({ from: '/w/$workspaceId/alerts' })
  const { data: rules } = useQuery(rulesQuery(workspaceId))
  const open = search['tab'] ?? 'incidents'
  const go = (tab: string) =>
    void navigate({ search: tab === 'incidents' ? {} : { tab }, replace: true })
  return (
    <>
      <TopBar title="Alerts" />
      <Page>
        <div className={css['tabs']}>
          <Tabs
            label="Alerts"
            tabs={[
              { id: 'incidents', title: 'Incidents' },
              { id: 'rules', title: 'Rules', count: rules?.length },
              { id: 'targets', title: 'Targets' },
              { id: 'deliveries', title: 'Deliveries' },
            ]}
            open={open}
            onOpen={go}
          >
            <OpenTab open={open} />
          </Tabs>
        </div>
      </Page>
    </>
  )
}

function OpenTab({ open }: { open: string }) {
  switch (open) {
    case 'rules':
      return <RulesTab />
    case 'targets':
      return <TargetsTab />
    case 'deliveries':
      return <DeliveriesTab />
    default:
      return <IncidentsTab />
  }
}
