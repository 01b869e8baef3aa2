import { NumberInput } from '@mantine/core'
import type { DeploymentCohort, SsvcStated } from '@plimsoll/api-client'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { type CardColumn, CardTable } from '../../components/card-table.tsx'
import { Choice } from '../../components/choice.tsx'
import { DevicesLink } from '../../components/devices-link.tsx'
import type { ListFile } from '../../components/download-csv.ts'
import { ListPanel } from '../../components/list-panel.tsx'
import { Empty } from '../../components/states.tsx'
import { formatCount, formatCountOf } from '../../format/counts.ts'
import { useWorkspaceId } from '../../session.ts'
import { cohortsQuery } from '../../workspace-queries.ts'
import { findFault } from './faults.ts'
import css from './ssvc.module.css'
import { type Exposure, findExposure } from './stated.ts'

const EXPOSURES = [
  { value: 'Small', text: 'Small: not reachable from outside' },
  { value: 'Controlled', text: 'Controlled: behind a gateway or VPN' },
  { value: 'Open', text: 'Open: reachable from the internet' },
] as const

interface CohortsPanelProps {
  stated: SsvcStated
  error: unknown
  onChange: (cohortId: string, exposure: Exposure | null) => void
  onManyDevices: (count: number) => void
}

export function CohortsPanel({ stated, error, onChange, onManyDevices }: CohortsPanelProps) {
  const query = useQuery(cohortsQuery(useWorkspaceId()))
  const cohorts = query.data?.deploymentCohorts
  const unknown = cohorts?.filter(({ id }) => findExposure(stated, id) === null)
  const describeFault = (id: string) =>
    findFault(
      error,
      'cohorts',
      stated.cohorts.findIndex(({ cohortId }) => cohortId === id),
    )
  const columns: CardColumn<DeploymentCohort>[] = [
    {
      title: 'Cohort',
      isPlain: true,
      cell: ({ id, name }) => (
        <>
          <strong>{name}</strong>
          {describeFault(id) !== undefined && (
            <p className={css['fault']} role="alert">
              {describeFault(id)}
            </p>
          )}
        </>
      ),
    },
    {
      title: 'Devices',
      cell: ({ id, deviceCount }) => <DevicesLink of={{ cohort: id }} count={deviceCount} />,
    },
    {
      title: 'Exposure',
      cell: ({ id, name }) => (
        <Choice
          label={`Whether devices of ${name} can be reached from outside`}
          none="Not stated"
          className={css['choice']}
          options={EXPOSURES}
          value={findExposure(stated, id)}
          onChange={(exposure) => onChange(id, exposure)}
        />
      ),
    },
  ]
  return (
    <ListPanel
      id="cohorts"
      query={query}
      rows={cohorts}
      loadingRows={3}
      title="Exposure of devices"
      note={cohorts && unknown && describeUnknown(unknown, cohorts.length)}
      empty={
        <Empty title="No cohort yet" action={<Deployments />}>
          Whether devices can be reached is stated of their cohort. That of devices in none is not
          known.
        </Empty>
      }
      foot={
        <div className={css['foot']}>
          <NumberInput
            label="Many devices"
            description="A version that so many devices run, or more, is prevalent."
            min={1}
            max={1_000_000_000}
            allowDecimal={false}
            value={stated.manyDevices}
            onChange={(count) => Number(count) >= 1 && onManyDevices(Number(count))}
          />
        </div>
      }
    >
      {(rows) => (
        <CardTable
          label="Cohorts"
          list="ssvc-cohorts"
          csv={fileOf(stated)}
          columns={columns}
          rows={rows}
          keyOf={({ id }) => id}
        />
      )}
    </ListPanel>
  )
}

function describeUnknown(unknown: readonly DeploymentCohort[], all: number): string {
  if (unknown.length === 0) return 'all stated'
  const devices = unknown.reduce((sum, { deviceCount }) => sum + deviceCount, 0)
  return `${formatCount(unknown.length)} of ${formatCountOf(all, 'cohort')} not stated, with ${formatCountOf(devices, 'device')}`
}

const fileOf = (stated: SsvcStated): ListFile<DeploymentCohort> => ({
  name: 'ssvc-cohorts',
  columns: ['name', 'deviceCount', ['exposure', ({ id }) => findExposure(stated, id)]],
})

function Deployments() {
  const workspaceId = useWorkspaceId()
  return (
    <Link to="/w/$workspaceId/deployments" params={{ workspaceId }}>
      Deployments
    </Link>
  )
}
