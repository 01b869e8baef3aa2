import { NumberInput } from '@mantine/core'
import type { DeploymentCohort, SsvcStated } from '@plimsoll/api-client'
import { useQuery } from '@tanstack/react-query'
import type { CardColumn } from '../../components/card-table.tsx'
import { DevicesLink } from '../../components/devices-link.tsx'
import type { ListFile } from '../../components/download-csv.ts'
import { formatCount, formatCountOf } from '../../format/counts.ts'
import { useWorkspaceId } from '../../session.ts'
import { cohortsQuery } from '../../workspace-queries.ts'
import { findFault } from './faults.ts'
import css from './ssvc.module.css'
import { StatedChoice, StatedPanel } from './stated-panel.tsx'
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
      title: 'Devices',
      cell: ({ id, deviceCount }) => <DevicesLink of={{ cohort: id }} count={deviceCount} />,
    },
    {
      title: 'Exposure',
      cell: ({ id, name }) => (
        <StatedChoice
          label={`Whether devices of ${name} can be reached from outside`}
          options={EXPOSURES}
          value={findExposure(stated, id)}
          onChange={(exposure) => onChange(id, exposure)}
        />
      ),
    },
  ]
  return (
    <StatedPanel
      id="cohorts"
      query={query}
      rows={cohorts}
      title="Exposure of devices"
      nouns={['Cohort', 'Cohorts']}
      note={cohorts && unknown && describeUnknown(unknown, cohorts.length)}
      empty={{
        title: 'No cohort yet',
        text: 'Whether devices can be reached is stated of their cohort. That of devices in none is not known.',
        to: '/w/$workspaceId/deployments',
        link: 'Deployments',
      }}
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
      columns={columns}
      file={fileOf(stated)}
      describeFault={describeFault}
    />
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
