import type { Firmware, SsvcStated } from '@plimsoll/api-client'
import { useQuery } from '@tanstack/react-query'
import type { CardColumn } from '../../components/card-table.tsx'
import type { ListFile } from '../../components/download-csv.ts'
import { formatCount, formatCountOf } from '../../format/counts.ts'
import { useWorkspaceId } from '../../session.ts'
import { firmwaresQuery } from '../../workspace-queries.ts'
import { findFault } from './faults.ts'
import { StatedChoice, StatedPanel } from './stated-panel.tsx'
import { findProduct, type StatedProduct } from './stated.ts'

const MISSIONS = [
  { value: 'Minimal', text: 'Minimal: nobody’s mission needs it' },
  { value: 'Support', text: 'Support: missions go on without it' },
  { value: 'Essential', text: 'Essential: missions fail with it' },
] as const

const WELL_BEINGS = [
  { value: 'Minimal', text: 'Minimal: hardly any harm' },
  { value: 'Material', text: 'Material: harm that can be mended' },
  { value: 'Irreversible', text: 'Irreversible: death, lasting harm' },
] as const

interface ProductsPanelProps {
  stated: SsvcStated
  error: unknown
  onChange: (firmwareId: string, product: StatedProduct) => void
}

export function ProductsPanel({ stated, error, onChange }: ProductsPanelProps) {
  const query = useQuery(firmwaresQuery(useWorkspaceId()))
  const firmwares = query.data?.firmwares
  const unknown = firmwares?.filter(({ id }) => {
    const { missionPrevalence, publicWellBeing } = findProduct(stated, id)
    return missionPrevalence === null || publicWellBeing === null
  })
  const describeFault = (id: string) =>
    findFault(
      error,
      'products',
      stated.products.findIndex(({ firmwareId }) => firmwareId === id),
    )
  const columns: CardColumn<Firmware>[] = [
    {
      title: 'Mission',
      cell: ({ id, name }) => (
        <StatedChoice
          label={`How much missions depend on ${name}`}
          options={MISSIONS}
          value={findProduct(stated, id).missionPrevalence}
          onChange={(missionPrevalence) =>
            onChange(id, { ...findStated(stated, id), missionPrevalence })
          }
        />
      ),
    },
    {
      title: 'Well-being',
      cell: ({ id, name }) => (
        <StatedChoice
          label={`Harm to people that a failure of ${name} can do`}
          options={WELL_BEINGS}
          value={findProduct(stated, id).publicWellBeing}
          onChange={(publicWellBeing) =>
            onChange(id, { ...findStated(stated, id), publicWellBeing })
          }
        />
      ),
    },
  ]
  return (
    <StatedPanel
      id="products"
      query={query}
      rows={firmwares}
      title="Products"
      nouns={['Product', 'Products']}
      note={firmwares && unknown && describeUnknown(unknown.length, firmwares.length)}
      empty={{
        title: 'No firmware yet',
        text: 'What a product is for is stated of its firmware.',
        to: '/w/$workspaceId/firmware',
        link: 'Firmware',
      }}
      columns={columns}
      file={fileOf(stated)}
      describeFault={describeFault}
    />
  )
}

function findStated(stated: SsvcStated, id: string): StatedProduct {
  const { missionPrevalence, publicWellBeing } = findProduct(stated, id)
  return { missionPrevalence, publicWellBeing }
}

const describeUnknown = (unknown: number, all: number) =>
  unknown === 0
    ? 'all stated'
    : `${formatCount(unknown)} of ${formatCountOf(all, 'product')} not stated whole`

const fileOf = (stated: SsvcStated): ListFile<Firmware> => ({
  name: 'ssvc-products',
  columns: [
    'slug',
    'name',
    ['missionPrevalence', ({ id }) => findProduct(stated, id).missionPrevalence],
    ['publicWellBeing', ({ id }) => findProduct(stated, id).publicWellBeing],
  ],
})
