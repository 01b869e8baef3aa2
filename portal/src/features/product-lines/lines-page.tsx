/** What is placed on the market under one name, and the firmware of no line. */
import type { ProductLine, ProductLineList } from '@plimsoll/api-client'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import button from '../../components/button.module.css'
import { NoAdvice } from '../../components/cases/law-mark.tsx'
import { nameMemberStates } from '../../components/cases/member-states.ts'
import { CLASS_WORDS } from '../../components/cases/product-line-words.ts'
import { productLinesQuery } from '../../components/cases/queries.ts'
import type { Column } from '../../components/data-table.tsx'
import type { ListFile } from '../../components/download-csv.ts'
import { ListPanel } from '../../components/list-panel.tsx'
import { ListedTable } from '../../components/listed-table.tsx'
import { Page } from '../../components/page.tsx'
import { Panel } from '../../components/panel.tsx'
import { Empty } from '../../components/states.tsx'
import { Tag } from '../../components/tag.tsx'
import { TopBar } from '../../components/top-bar.tsx'
import { formatCountOf } from '../../format/counts.ts'
import { useMay, useWorkspaceId } from '../../session.ts'
import { countLastDays, isSupportOver, listUnknown } from './line-values.ts'
import css from './product-lines.module.css'

const COLUMNS: readonly Column<ProductLine>[] = [
  { id: 'name', title: 'Line', width: 'minmax(0, 1.2fr)', cell: ({ name }) => name },
  {
    id: 'manufacturer',
    title: 'Manufacturer',
    width: 'minmax(0, 1fr)',
    cell: ({ manufacturer }) => manufacturer,
  },
  {
    id: 'firmware',
    title: 'Firmware',
    width: 'minmax(0, 1.2fr)',
    cell: ({ firmwares }) => firmwares.map(({ name }) => name).join(', ') || <em>none</em>,
  },
  {
    id: 'memberStates',
    title: 'Made available in',
    width: 'minmax(0, 1.2fr)',
    cell: ({ memberStates }) => {
      const names = nameMemberStates(memberStates)
      return names === undefined ? <em>not known</em> : <span title={names}>{names}</span>
    },
  },
  {
    id: 'class',
    title: 'Class',
    width: 'minmax(0, 1fr)',
    cell: ({ productClass }) => CLASS_WORDS[productClass],
    isWideOnly: true,
  },
  {
    id: 'support',
    title: 'Support ends',
    width: '165px',
    cell: ({ supportEndsIn }) =>
      supportEndsIn === null ? <em>not known</em> : <SupportEnd month={supportEndsIn} />,
  },
  {
    id: 'unknown',
    title: 'Nobody has said',
    width: 'minmax(0, 1.6fr)',
    cell: (line) => {
      const unknown = listUnknown(line).join(', ')
      return <span title={unknown}>{unknown === '' ? 'all is said' : unknown}</span>
    },
  },
]

function SupportEnd({ month }: { month: string }) {
  const left = countLastDays(month)
  return (
    <>
      {month} {isSupportOver(month) && <Tag tone="danger">ended</Tag>}
      {left !== undefined && <Tag tone="warn">{formatCountOf(left, 'day')} left</Tag>}
    </>
  )
}

const FILE: ListFile<ProductLine> = {
  name: 'product-lines',
  columns: [
    'name',
    'manufacturer',
    'role',
    'productClass',
    'category',
    ['memberStates', ({ memberStates }) => memberStates.join(' ')],
    'coordinatorState',
    'timeZone',
    'firstPlacedOn',
    'supportEndsIn',
    'expectedUseYears',
    'expectedUseReason',
    'contact',
    ['firmware', ({ firmwares }) => firmwares.map(({ name }) => name).join(', ')],
    'id',
  ],
}

export function ProductLinesPage() {
  const workspaceId = useWorkspaceId()
  const query = useQuery(productLinesQuery(workspaceId))
  const mayWrite = useMay('Cases: write')
  const { productLines, firmwaresWithoutLine = [] } = query.data ?? {}
  return (
    <>
      <TopBar title="Product lines" />
      <Page>
        <ListPanel
          query={query}
          rows={productLines}
          title="Product lines"
          note={
            productLines &&
            `${formatCountOf(productLines.length, 'line')}; a firmware is in one line at most`
          }
          aside={
            mayWrite && (
              <Link
                to="/w/$workspaceId/product-lines/$productLineId"
                params={{ workspaceId, productLineId: 'new' }}
                className={`${button['button']} ${button['primary']} ${button['usual']}`}
              >
                New product line
              </Link>
            )
          }
          empty={
            <Empty title="No product line yet">
              A line is what you place on the market under one name. It says what a report asks for
              and no SBOM knows: the manufacturer, the Member States, the class, the support period.
            </Empty>
          }
        >
          {(rows) => (
            <ListedTable
              list="product-lines"
              csv={FILE}
              label="Product lines"
              cardLines={5}
              columns={COLUMNS}
              rows={rows}
              keyOf={({ id }) => id}
              onOpen={({ id }, go) =>
                go({
                  to: '/w/$workspaceId/product-lines/$productLineId',
                  params: { workspaceId, productLineId: id },
                })
              }
            />
          )}
        </ListPanel>
        {firmwaresWithoutLine.length > 0 && <WithoutLine firmwares={firmwaresWithoutLine} />}
        <NoAdvice />
      </Page>
    </>
  )
}

function WithoutLine({ firmwares }: { firmwares: ProductLineList['firmwaresWithoutLine'] }) {
  const workspaceId = useWorkspaceId()
  const mayWrite = useMay('Cases: write')
  return (
    <Panel
      title="Firmware in no line"
      note="a case about it lacks what its reports ask for; no clock waits for that"
    >
      <ul className={css['without']}>
        {firmwares.map(({ id, name }) => (
          <li key={id}>
            <Link
              to="/w/$workspaceId/firmware/$firmwareId"
              params={{ workspaceId, firmwareId: id }}
            >
              {name}
            </Link>
            {mayWrite && (
              <Link
                to="/w/$workspaceId/product-lines/$productLineId"
                params={{ workspaceId, productLineId: 'new' }}
                search={{ firmware: id }}
                aria-label={`Make a product line of ${name}`}
              >
                Make a line of it…
              </Link>
            )}
          </li>
        ))}
      </ul>
    </Panel>
  )
}
