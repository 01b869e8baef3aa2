/** May this version ship? The mark with its reasons, then what is inside. */
import type { FirmwareVersion } from '@plimsoll/api-client'
import { useQuery } from '@tanstack/react-query'
import { Link, useNavigate, useParams, useSearch } from '@tanstack/react-router'
import { lazy, Suspense } from 'react'
import { findBlockingError } from '../../components/blocking-error.ts'
import { WhoDidWhat } from '../../components/audit/who-did-what.tsx'
import { DayPicker } from '../../components/day-picker.tsx'
import { buildVersionReport } from '../../components/reports.ts'
import { FailedPage } from '../../components/failed-page.tsx'
import { Loading } from '../../components/states.tsx'
import { Tabs } from '../../components/tabs.tsx'
import { TopBar } from '../../components/top-bar.tsx'
import type { VersionSearch, VersionTab } from '../../searches.ts'
import { useWorkspaceId } from '../../session.ts'
import { sbomsQuery, versionQuery } from '../../workspace-queries.ts'
import { CompareStrip } from './compare-strip.tsx'
import { summaryQuery } from './queries.ts'
import { FindingsTab } from './tabs/findings-tab.tsx'
import { SbomsTab } from './tabs/sboms-tab.tsx'
import { DropZone } from './upload.tsx'
import { VersionHead } from './version-head.tsx'
import css from './version-page.module.css'

// The page opens with its findings; these come when they are asked for.
const ArtifactsTab = lazy(() => import('./tabs/artifacts-tab.tsx'))
const CrashesTab = lazy(() => import('./tabs/crashes-tab.tsx'))
const CompareTab = lazy(() => import('./tabs/compare-tab.tsx'))
const ComponentsTab = lazy(() => import('./tabs/components-tab.tsx'))
const SupportPanel = lazy(() => import('../../components/support/support-panel.tsx'))
const LicencesPanel = lazy(() => import('../../components/licences/licences-panel.tsx'))
const DocumentsTab = lazy(() => import('./tabs/documents-tab.tsx'))

export function VersionPage() {
  const { versionId } = useParams({ from: '/w/$workspaceId/versions/$versionId' })
  const workspaceId = useWorkspaceId()
  const query = useQuery(versionQuery(workspaceId, versionId))
  const { data, refetch } = query
  const error = findBlockingError(query)
  if (error)
    return <FailedPage title="Firmware version" error={error} onRetry={() => void refetch()} />
  if (!data) return <Loading rows={8} />
  const { name, firmware } = data
  return (
    <>
      <TopBar
        title={`${firmware.name} ${name}`}
        subject={`firmware-version:${data.id}`}
        trail={[
          <Link key="list" to="/w/$workspaceId/firmware" params={{ workspaceId }}>
            Firmware
          </Link>,
          <Link
            key="firmware"
            to="/w/$workspaceId/firmware/$firmwareId"
            params={{ workspaceId, firmwareId: firmware.id }}
          >
            {firmware.name}
          </Link>,
        ]}
      >
        <code>{name}</code>
      </TopBar>
      <Content version={data} />
    </>
  )
}

function Content({ version }: { version: FirmwareVersion }) {
  const search = useSearch({ from: '/w/$workspaceId/versions/$versionId' })
  const navigate = useNavigate({ from: '/w/$workspaceId/versions/$versionId' })
  const go = (next: VersionSearch) => void navigate({ search: next, replace: true })
  const workspaceId = useWorkspaceId()
  const { asOf } = search
  if (asOf === undefined)
    return (
      <DropZone versionId={version.id}>
        <div className={`${css['scroll']} ${css['withFoot']}`} data-scroll="">
          <VersionTabs version={version} search={search} go={go} />
        </div>
      </DropZone>
    )
  return (
    <DayPicker
      asOf={asOf}
      unknown="mark, release gate, devices, chain from SBOM to device, fixes, EPSS scores"
      report={buildVersionReport(workspaceId, version.id, asOf)}
      onBack={() => go({ ...search, asOf: undefined })}
    >
      <div className={css['scroll']} data-scroll="">
        <div className={css['then']}>
          <FindingsTab
            version={version}
            search={search}
            asOf={asOf}
            onChange={(next) => go({ ...search, ...next })}
          />
        </div>
      </div>
    </DayPicker>
  )
}

interface VersionTabsProps {
  version: FirmwareVersion
  search: VersionSearch
  go: (next: VersionSearch) => void
}

function VersionTabs({ version, search, go }: VersionTabsProps) {
  const { id, name, firmware } = version
  const workspaceId = useWorkspaceId()
  const { data: summary } = useQuery(summaryQuery(workspaceId, id))
  const { data: sboms } = useQuery(sbomsQuery(workspaceId, id))
  const componentCount = sboms?.sboms.reduce((sum, one) => sum + one.componentCount, 0)
  const openTab = (tab: VersionTab) => go(tab === 'findings' ? {} : { tab })
  const open = search.tab ?? 'findings'
  const tab = { version, search, onChange: (next: VersionSearch) => go({ ...search, ...next }) }
  return (
    <div>
      <VersionHead
        version={version}
        findingCount={summary?.totalActiveIssues}
        componentCount={componentCount}
        onOpen={openTab}
      />
      <Tabs
        label={`${firmware.name} ${name}`}
        tabs={[
          { id: 'findings', title: 'Findings', count: summary?.totalActiveIssues },
          { id: 'components', title: 'Components', count: componentCount },
          { id: 'support', title: 'End of life' },
          { id: 'licences', title: 'Licences' },
          { id: 'sboms', title: 'SBOMs', count: sboms?.sboms.length },
          { id: 'artifacts', title: 'Artifacts' },
          { id: 'crashes', title: 'Crashes' },
          { id: 'compare', title: 'Compare' },
          { id: 'documents', title: 'Documents' },
        ]}
        open={open}
        onOpen={openTab}
      >
        <Suspense fallback={<Loading rows={8} />}>
          <OpenTab open={open} {...tab} />
        </Suspense>
      </Tabs>
    </div>
  )
}

interface OpenTabProps {
  open: VersionTab
  version: FirmwareVersion
  search: VersionSearch
  onChange: (next: VersionSearch) => void
}

function OpenTab({ open, version, search, onChange }: OpenTabProps) {
  switch (open) {
    case 'components':
      return <ComponentsTab versionId={version.id} search={search} onChange={onChange} />
    case 'support':
      return <SupportPanel versionId={version.id} firmware={version.firmware} />
    case 'licences':
      return <LicencesPanel versionId={version.id} firmware={version.firmware} />
    case 'sboms':
      return (
        <>
          <SbomsTab versionId={version.id} />
          <WhoDidWhat subject={`firmware-version:${version.id}`} />
        </>
      )
    case 'compare':
      return (
        <CompareTab version={version} base={search.base} onBase={(base) => onChange({ base })} />
      )
    case 'artifacts':
      return <ArtifactsTab version={version} />
    case 'crashes':
      return <CrashesTab versionId={version.id} />
    case 'documents':
      return <DocumentsTab versionId={version.id} />
    case 'findings':
      return (
        <>
          <CompareStrip version={version} />
          <FindingsTab version={version} search={search} onChange={onChange} />
        </>
      )
  }
}
