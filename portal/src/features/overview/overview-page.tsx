import { SegmentedControl } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { Page } from '../../components/page.tsx'
import { Panel } from '../../components/panel.tsx'
import { SeverityBadge } from '../../components/severity.tsx'
import { Empty, Failure, Loading } from '../../components/states.tsx'
import { TopBar } from '../../components/top-bar.tsx'
import { formatCount } from '../../format/counts.ts'
import { formatDate } from '../../format/dates.ts'
import { useWorkspaceId } from '../../session.ts'
import { overviewQuery } from '../../workspace-queries.ts'
import { ExposureChart } from './exposure-chart.tsx'
import { countsOf } from './exposure-rows.ts'
import { FirmwareInField } from './firmware-in-field.tsx'
import { FirstSteps } from './first-steps.tsx'
import { NeedsYou } from './needs-you.tsx'
import { Opening } from './opening.tsx'
import css from './overview-page.module.css'
import { exposureQuery, type Overview } from './queries.ts'

export function OverviewPage() {
  const workspaceId = useWorkspaceId()
  const { data, error, refetch } = useQuery(overviewQuery(workspaceId))
  return (
    <>
      <TopBar title="Overview" />
      <Page>
        {error && <Failure error={error} onRetry={() => void refetch()} />}
        {!data && !error && <Loading rows={10} />}
        {data && (
          <>
            <Opening devices={data.devices} />
            <FirstSteps setup={data.setup} />
            <div className={css['top']}>
              <ExposurePanel devices={data.devices} />
              <NeedsYou needs={data.needsYou} />
            </div>
            <FirmwareInField versions={data.firmwareVersions} total={data.firmwareVersionCount} />
          </>
        )}
      </Page>
    </>
  )
}

const RANGES = [
  { value: '30', label: '30 d' },
  { value: '90', label: '90 d' },
  { value: '365', label: '1 y' },
]
const LEGEND = [
  ['critical', 'Critical'],
  ['high', 'High'],
  ['medium', 'Medium'],
  ['low', 'Low'],
  ['none', 'None'],
  ['unknown', 'Unknown'],
] as const

function ExposurePanel({ devices }: { devices: Overview['devices'] }) {
  const workspaceId = useWorkspaceId()
  const search: { days?: string } = useSearch({ strict: false })
  const navigate = useNavigate()
  const range = RANGES.find(({ value }) => value === search.days)?.value ?? '90'
  const { data, error, refetch } = useQuery(exposureQuery(workspaceId, Number(range)))
  const counts = countsOf(devices.byWorst)
  return (
    <Panel
      title="Exposure"
      note="devices by worst active severity"
      aside={
        <SegmentedControl
          size="xs"
          aria-label="Range"
          data={RANGES}
          value={range}
          onChange={(days) =>
            void navigate({
              to: '/w/$workspaceId',
              params: { workspaceId },
              search: { days },
              replace: true,
            })
          }
        />
      }
    >
      <ul className={css['legend']}>
        {LEGEND.map(([id, severity]) => (
          <li key={id}>
            <SeverityBadge severity={severity} /> {severity}{' '}
            <strong>{formatCount(counts[id] ?? 0)}</strong>
          </li>
        ))}
      </ul>
      {error && <Failure error={error} onRetry={() => void refetch()} />}
      {data && data.days.length < 2 ? (
        <Empty title="One day is no curve yet">
          Counts are kept once a day since {formatDate(data.since)}. Tomorrow there is a line.
        </Empty>
      ) : (
        data && <ExposureChart exposure={data} days={Number(range)} />
      )}
    </Panel>
  )
}
