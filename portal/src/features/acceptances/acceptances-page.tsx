/** Accepted risks: what ends when, who looks after it, and on how many devices it runs. */
import type { AcceptanceCounts, AcceptedFinding } from '@plimsoll/api-client'
import { useQuery } from '@tanstack/react-query'
import { getRouteApi, Link } from '@tanstack/react-router'
import type { Column } from '../../components/data-table.tsx'
import { describeCauses, listConditions } from '../../components/decision/acceptance-words.ts'
import { DevicesLink } from '../../components/devices-link.tsx'
import { ListPanel } from '../../components/list-panel.tsx'
import { ListedTable } from '../../components/listed-table.tsx'
import { Page } from '../../components/page.tsx'
import { selectColumn } from '../../components/select-column.tsx'
import { useSelection } from '../../components/selection.ts'
import { Empty } from '../../components/states.tsx'
import { Time } from '../../components/time.tsx'
import { TopBar } from '../../components/top-bar.tsx'
import type { AcceptancesSearch } from '../../searches.ts'
import { useMay, useWorkspaceId } from '../../session.ts'
import { Acts } from './acts.tsx'
import { Filters } from './filters.tsx'
import { acceptancesQuery, createCsvRequest } from './queries.ts'

const route = getRouteApi('/w/$workspaceId/accepted-risks')

const COLUMNS: readonly Column<AcceptedFinding>[] = [
  { id: 'until', title: 'Ends', width: '120px', cell: (one) => <End of={one} /> },
  {
    id: 'finding',
    title: 'Vulnerability',
    width: 'minmax(0, 1.4fr)',
    cell: (one) => <Finding of={one} />,
  },
  {
    id: 'version',
    title: 'In',
    width: 'minmax(0, 1.2fr)',
    cell: ({ firmwareVersion: { name, firmware } }) => `${firmware.name} ${name}`,
  },
  {
    id: 'owner',
    title: 'Owner',
    width: 'minmax(0, 1fr)',
    cell: ({ ownerEmail }) => ownerEmail ?? <em>nobody</em>,
  },
  {
    id: 'devices',
    title: 'Devices',
    width: '80px',
    isNumber: true,
    cell: ({ affectedDevices, firmwareVersion }) => (
      <DevicesLink of={{ version: firmwareVersion.id }} count={affectedDevices} isBare />
    ),
  },
  {
    id: 'conditions',
    title: 'Ends sooner if',
    width: 'minmax(0, 1.4fr)',
    cell: (one) => <span title={describeConditions(one)}>{describeConditions(one)}</span>,
    isWideOnly: true,
  },
  {
    id: 'reason',
    title: 'Because',
    width: 'minmax(0, 1.6fr)',
    cell: ({ acceptance }) => (
      <span title={acceptance?.reason ?? ''}>{acceptance?.reason ?? 'no reason said'}</span>
    ),
    isWideOnly: true,
  },
]

function describeConditions({ acceptance }: AcceptedFinding): string {
  if (!acceptance) return ''
  if (acceptance.ended) return describeCauses(acceptance.ended.causes)
  return listConditions(acceptance.conditions).join(', ') || 'nothing'
}

function End({ of: { acceptance, state } }: { of: AcceptedFinding }) {
  if (acceptance?.ended)
    return (
      <>
        ended <Time at={acceptance.ended.at} as="date" />
      </>
    )
  if (!acceptance || acceptance.until === null) return 'never'
  const end = <Time at={acceptance.until} as="date" />
  return state === 'EndingSoon' ? <strong>{end}, soon</strong> : end
}

function Finding({ of }: { of: AcceptedFinding }) {
  const workspaceId = useWorkspaceId()
  const { findingId, cveId, componentName, componentVersion } = of
  return (
    <>
      <Link to="/w/$workspaceId/findings/$findingId" params={{ workspaceId, findingId }}>
        <code>{cveId}</code>
      </Link>{' '}
      {componentName} {componentVersion ?? ''}
    </>
  )
}

export function AcceptancesPage() {
  const workspaceId = useWorkspaceId()
  const search = route.useSearch()
  const query = useQuery(acceptancesQuery(workspaceId, search))
  const { acceptances, counts, hasMore } = query.data ?? {}
  return (
    <>
      <TopBar
        title="Accepted risks"
        trail={[
          <Link key="findings" to="/w/$workspaceId/findings" params={{ workspaceId }}>
            Findings
          </Link>,
        ]}
      />
      <Page>
        <Filters />
        <ListPanel
          query={query}
          rows={acceptances}
          title="Accepted risks"
          note={
            counts &&
            `${counts.endingSoon} end soon, ${counts.open} later or never, ${counts.ended} ended; ${counts.withoutOwner} without an owner${hasMore ? '. The first 1,000 are shown; acts on what is listed reach all, and so does the CSV file.' : ''}`
          }
          empty={
            <Empty title="None">
              A finding that is ignored with a reason, an owner or an end is listed here, and again
              when that has ended.
            </Empty>
          }
        >
          {(rows) => counts && <Acceptances rows={rows} search={search} counts={counts} />}
        </ListPanel>
      </Page>
    </>
  )
}

const keyOf = ({ findingId }: AcceptedFinding) => findingId
const nameOf = ({ cveId, firmwareVersion: { name, firmware } }: AcceptedFinding) =>
  `${cveId} in ${firmware.name} ${name}`

interface AcceptancesProps {
  rows: readonly AcceptedFinding[]
  search: AcceptancesSearch
  counts: AcceptanceCounts
}

function Acceptances({ rows, search, counts }: AcceptancesProps) {
  const workspaceId = useWorkspaceId()
  const mayDecide = useMay('Vulnerabilities: write')
  const selection = useSelection(rows.map(keyOf), JSON.stringify(search))
  const selected = rows.filter((row) => selection.has(keyOf(row)))
  return (
    <>
      {mayDecide && (
        <Acts selected={selected} search={search} counts={counts} onDone={selection.clear} />
      )}
      <ListedTable
        list="accepted-risks"
        viewedList="accepted-risks"
        csv={createCsvRequest(workspaceId, search)}
        label="Accepted risks"
        cardLines={3}
        columns={mayDecide ? [selectColumn(selection, keyOf, nameOf), ...COLUMNS] : COLUMNS}
        rows={rows}
        keyOf={keyOf}
      />
    </>
  )
}
