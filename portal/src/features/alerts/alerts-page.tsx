/** What is firing and what fired before, what is watched, and who is told. */
import { useQuery } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { Page } from '../../components/page.tsx'
import { Tabs } from '../../components/tabs.tsx'
import { TopBar } from '../../components/top-bar.tsx'
import type { AlertsSearch } from '../../searches.ts'
import { useWorkspaceId } from '../../session.ts'
import { rulesQuery } from '../../workspace-queries.ts'
import css from './alerts.module.css'
import { DeliveriesTab } from './deliveries-tab.tsx'
import { IncidentsTab } from './incidents-tab.tsx'
import { RulesTab } from './rules-tab.tsx'
import { TargetsTab } from './targets-tab.tsx'

export function AlertsPage() {
  const workspaceId = useWorkspaceId()
  const search = useSearch({ from: '/w/$workspaceId/alerts' })
  const navigate = useNavigate({ from: '/w/$workspaceId/alerts' })
  const { data: rules } = useQuery(rulesQuery(workspaceId))
  const open = search.tab ?? 'incidents'
  const go = (next: AlertsSearch) => void navigate({ search: next, replace: true })
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
            onOpen={(tab) => go(tab === 'incidents' ? {} : { tab })}
          >
            <OpenTab open={open} search={search} onChange={(next) => go({ ...search, ...next })} />
          </Tabs>
        </div>
      </Page>
    </>
  )
}

interface OpenTabProps {
  open: NonNullable<AlertsSearch['tab']>
  search: AlertsSearch
  onChange: (next: AlertsSearch) => void
}

function OpenTab({ open, search, onChange }: OpenTabProps) {
  switch (open) {
    case 'rules':
      return <RulesTab search={search} onChange={onChange} />
    case 'targets':
      return <TargetsTab />
    case 'deliveries':
      return <DeliveriesTab search={search} onChange={onChange} />
    case 'incidents':
      return <IncidentsTab search={search} onChange={onChange} />
  }
}
