/** Accepted risks: what ends when, who looks after it, and on how many devices it runs. */
import type { AcceptanceState, AcceptedFinding, BulkTriageOutcome } from '@plimsoll/api-client'
import { useMutation, useQuery } from '@tanstack/react-query'
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router'
import { api } from '../../api.ts'
import { ConfirmedButton } from '../../components/confirm.tsx'
import type { Column } from '../../components/data-table.tsx'
import { undoDecisions } from '../../components/decision/bulk.ts'
import type { ListFile } from '../../components/download-csv.ts'
import { ListPanel } from '../../components/list-panel.tsx'
import { ListedTable } from '../../components/listed-table.tsx'
import { Page } from '../../components/page.tsx'
import { usePerform } from '../../components/perform.ts'
import { Empty } from '../../components/states.tsx'
import { Time } from '../../components/time.tsx'
import { TopBar } from '../../components/top-bar.tsx'
import { formatCountOf } from '../../format/counts.ts'
import { useMay, useWorkspaceId } from '../../session.ts'
import css from './acceptances-page.module.css'
import { acceptancesQuery } from './queries.ts'

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
    cell: ({ affectedDevices }) => affectedDevices.toLocaleString('en'),
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

const CAUSES = {
  Time: 'its time was over',
  KnownExploited: 'exploited',
  EpssAbove: 'EPSS score',
  DevicesAbove: 'devices',
  FixAvailable: 'fix available',
  Person: 'ended by a person',
} as const

function describeConditions({ acceptance }: AcceptedFinding): string {
  if (!acceptance) return ''
  if (acceptance.ended) return acceptance.ended.causes.map((cause) => CAUSES[cause]).join(', ')
  const { knownExploited, epssAbove, devicesAbove, fixAvailable } = acceptance.conditions
  const texts = [
    knownExploited && 'exploited',
    epssAbove !== null && `EPSS above ${epssAbove}`,
    devicesAbove !== null && `more than ${formatCountOf(devicesAbove, 'device')}`,
    fixAvailable && 'a fix appears',
  ].filter((text) => text !== false)
  return texts.length === 0 ? 'nothing' : texts.join(', ')
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

const STATES = [
  { value: undefined, text: 'All' },
  { value: 'EndingSoon', text: 'End soon' },
  { value: 'Open', text: 'Later or never' },
  { value: 'Ended', text: 'Ended' },
] as const satisfies { value: AcceptanceState | undefined; text: string }[]

export function AcceptancesPage() {
  const workspaceId = useWorkspaceId()
  const { state } = route.useSearch()
  const query = useQuery(acceptancesQuery(workspaceId, state))
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
        <StateFilter state={state} />
        <ListPanel
          query={query}
          rows={acceptances}
          title="Accepted risks"
          note={
            counts &&
            `${counts.endingSoon} end soon, ${counts.open} later or never, ${counts.ended} ended; ${counts.withoutOwner} without an owner${hasMore ? '. The first 1,000 are shown.' : ''}`
          }
          empty={
            <Empty title="None">
              A finding that is ignored with a reason, an owner or an end is listed here, and again
              when that has ended.
            </Empty>
          }
        >
          {(rows) => <Acceptances rows={rows} state={state} />}
        </ListPanel>
      </Page>
    </>
  )
}

function StateFilter({ state: chosen }: { state: AcceptanceState | undefined }) {
  const workspaceId = useWorkspaceId()
  const navigate = useNavigate()
  const choose = (state: AcceptanceState | undefined) =>
    void navigate({
      to: '/w/$workspaceId/accepted-risks',
      params: { workspaceId },
      search: { state },
    })
  return (
    <div className={css['states']} role="group" aria-label="State">
      {STATES.map(({ value, text }) => (
        <button
          key={text}
          type="button"
          aria-pressed={value === chosen}
          onClick={() => {
            choose(value)
          }}
        >
          {text}
        </button>
      ))}
    </div>
  )
}

const FILE: ListFile<AcceptedFinding> = {
  name: 'accepted-risks',
  columns: [
    'state',
    ['until', ({ acceptance }) => acceptance?.until ?? ''],
    ['cve', ({ cveId }) => cveId],
    ['component', ({ componentName }) => componentName],
    ['componentVersion', ({ componentVersion }) => componentVersion],
    ['firmware', ({ firmwareVersion }) => firmwareVersion.firmware.name],
    ['version', ({ firmwareVersion }) => firmwareVersion.name],
    ['devices', ({ affectedDevices }) => String(affectedDevices)],
    ['owner', ({ ownerEmail }) => ownerEmail],
    ['conditions', describeConditions],
    ['reason', ({ acceptance }) => acceptance?.reason ?? ''],
    ['findingId', ({ findingId }) => findingId],
  ],
}

function Acceptances({
  rows,
  state,
}: {
  rows: readonly AcceptedFinding[]
  state: AcceptanceState | undefined
}) {
  const mayDecide = useMay('Vulnerabilities: write')
  return (
    <>
      {mayDecide && <Acts rows={rows} state={state} />}
      <ListedTable
        list="accepted-risks"
        csv={FILE}
        label="Accepted risks"
        cardLines={3}
        columns={COLUMNS}
        rows={rows}
        keyOf={({ findingId }) => findingId}
      />
    </>
  )
}

const RENEWED_DAYS = 90
const DAY_MS = 86_400_000

/** What is listed is changed at once; the notice has the way back. */
function Acts({
  rows,
  state,
}: {
  rows: readonly AcceptedFinding[]
  state: AcceptanceState | undefined
}) {
  const workspaceId = useWorkspaceId()
  const perform = usePerform('findings')
  const findingIds = rows.map(({ findingId }) => findingId)
  const open = rows.filter((row) => row.state !== 'Ended').map(({ findingId }) => findingId)
  const params = { workspaceId }
  const change = (text: string, send: () => Promise<BulkTriageOutcome>) =>
    perform({
      text,
      isDecision: true,
      send: async () => {
        const { decisionBatchId } = await send()
        if (decisionBatchId === undefined) return undefined
        return (tellBack) => undoDecisions(workspaceId, [decisionBatchId], tellBack)
      },
    })
  const renew = useMutation({
    mutationFn: () => {
      const until = new Date(Date.now() + RENEWED_DAYS * DAY_MS).toISOString()
      return change(`${many}: renewed`, () =>
        api.post('/workspaces/{workspaceId}/acceptances/renew', {
          params,
          body: { findingIds, until },
        }),
      )
    },
  })
  const end = useMutation({
    mutationFn: () =>
      change(`${formatCountOf(open.length, 'accepted risk')}: ended`, () =>
        api.post('/workspaces/{workspaceId}/acceptances/end', {
          params,
          body: { findingIds: open },
        }),
      ),
  })
  const many = formatCountOf(findingIds.length, 'accepted risk')
  return (
    <div className={css['acts']}>
      <ConfirmedButton
        size="small"
        title={`Accept ${many} for ${RENEWED_DAYS} more days?`}
        verb={`Renew ${many}`}
        act={renew}
        what={`Each ends ${RENEWED_DAYS} days from now, or sooner by its conditions.${state === 'Ended' ? ' They are ignored again.' : ''}`}
      >
        Renew these…
      </ConfirmedButton>
      {open.length > 0 && (
        <ConfirmedButton
          size="small"
          title={`End ${formatCountOf(open.length, 'accepted risk')}?`}
          verb={`End ${formatCountOf(open.length, 'accepted risk')}`}
          act={end}
          what="Their findings are open again, and count in lists, marks and the release gate."
        >
          End these…
        </ConfirmedButton>
      )}
    </div>
  )
}
