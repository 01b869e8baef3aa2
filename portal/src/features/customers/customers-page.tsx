/** Who has which devices and may see what is known of them; and addresses of documents that are always current. */
import type { ListedCustomer } from '@plimsoll/api-client'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import button from '../../components/button.module.css'
import type { Column } from '../../components/data-table.tsx'
import type { ListFile } from '../../components/download-csv.ts'
import { ListPanel } from '../../components/list-panel.tsx'
import { ListedTable } from '../../components/listed-table.tsx'
import { Page } from '../../components/page.tsx'
import { Empty } from '../../components/states.tsx'
import { Time } from '../../components/time.tsx'
import { TopBar } from '../../components/top-bar.tsx'
import { formatCountOf } from '../../format/counts.ts'
import { useMay, useWorkspaceId } from '../../session.ts'
import { customersQuery } from './queries.ts'
import { StandingAddresses } from './standing-addresses.tsx'

const COLUMNS: readonly Column<ListedCustomer>[] = [
  { id: 'name', title: 'Customer', width: 'minmax(0, 1.4fr)', cell: ({ name }) => name },
  {
    id: 'devices',
    title: 'Devices',
    width: '120px',
    cell: ({ deviceCount }) => formatCountOf(deviceCount, 'device'),
  },
  {
    id: 'by',
    title: 'Devices are those',
    width: 'minmax(0, 1.6fr)',
    cell: ({ tag, cohorts }) => {
      const named = [
        ...(tag === null ? [] : [`tagged ${tag}`]),
        ...cohorts.map(({ name }) => `of ${name}`),
      ].join(', ')
      return named === '' ? <em>none: no tag and no cohort</em> : <span title={named}>{named}</span>
    },
  },
  {
    id: 'links',
    title: 'Links',
    width: '80px',
    cell: ({ linkCount }) => formatCountOf(linkCount, 'link'),
  },
  {
    id: 'viewed',
    title: 'Last viewed',
    width: '140px',
    // As a card, nothing stands above it.
    cell: ({ lastViewedAt }) =>
      lastViewedAt === null ? (
        'never viewed'
      ) : (
        <>
          viewed <Time at={lastViewedAt} />
        </>
      ),
  },
  {
    id: 'contacts',
    title: 'Contacts',
    width: 'minmax(0, 1.4fr)',
    isWideOnly: true,
    cell: ({ contacts }) => {
      const named = contacts.map(({ email }) => email).join(', ')
      return <span title={named}>{named || <em>none</em>}</span>
    },
  },
]

const FILE: ListFile<ListedCustomer> = {
  name: 'customers',
  columns: [
    'name',
    'deviceCount',
    'tag',
    ['cohorts', ({ cohorts }) => cohorts.map(({ name }) => name).join(', ')],
    'linkCount',
    'lastViewedAt',
    ['contacts', ({ contacts }) => contacts.map(({ email }) => email).join(' ')],
    'id',
  ],
}

export function CustomersPage() {
  const workspaceId = useWorkspaceId()
  const query = useQuery(customersQuery(workspaceId))
  const mayWrite = useMay('Customers: write')
  const { customers } = query.data ?? {}
  return (
    <>
      <TopBar title="Customers" />
      <Page>
        <ListPanel
          query={query}
          rows={customers}
          title="Customers"
          note={customers && formatCountOf(customers.length, 'customer')}
          aside={
            mayWrite && (
              <Link
                to="/w/$workspaceId/customers/$customerId"
                params={{ workspaceId, customerId: 'new' }}
                className={`${button['button']} ${button['primary']} ${button['usual']}`}
              >
                New customer
              </Link>
            )
          }
          empty={
            <Empty title="No customer yet">
              A customer has devices by a tag or by cohorts. By a link, without an account, it sees
              what they run, what affects that, what you said about it, and what is on its way.
            </Empty>
          }
        >
          {(rows) => (
            <ListedTable
              list="customers"
              csv={FILE}
              label="Customers"
              cardLines={4}
              columns={COLUMNS}
              rows={rows}
              keyOf={({ id }) => id}
              onOpen={({ id }, go) =>
                go({
                  to: '/w/$workspaceId/customers/$customerId',
                  params: { workspaceId, customerId: id },
                })
              }
            />
          )}
        </ListPanel>
        <StandingAddresses />
      </Page>
    </>
  )
}
