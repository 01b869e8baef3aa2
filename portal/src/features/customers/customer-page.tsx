/** One customer, or a new one: its devices, its links, and its page as it sees it. */
import type { Customer, WithEntityTag } from '@plimsoll/api-client'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router'
import { api } from '../../api.ts'
import { findBlockingError } from '../../components/blocking-error.ts'
import button from '../../components/button.module.css'
import { ConfirmedButton } from '../../components/confirm.tsx'
import { Page } from '../../components/page.tsx'
import { Panel } from '../../components/panel.tsx'
import { Empty, Failure, Loading } from '../../components/states.tsx'
import { TopBar } from '../../components/top-bar.tsx'
import { formatCountOf } from '../../format/counts.ts'
import { useMay, useWorkspaceId } from '../../session.ts'
import { CustomerForm } from './customer-form.tsx'
import { CustomerLinks } from './customer-links.tsx'
import { customerQuery } from './queries.ts'

const route = getRouteApi('/w/$workspaceId/customers/$customerId')

export function CustomerPage() {
  const { customerId } = route.useParams()
  const workspaceId = useWorkspaceId()
  const isNew = customerId === 'new'
  const query = useQuery({ ...customerQuery(workspaceId, customerId), enabled: !isNew })
  const error = findBlockingError(query)
  const customer = isNew ? undefined : query.data
  return (
    <>
      <TopBar
        title={isNew ? 'New customer' : (customer?.name ?? 'Customer')}
        {...(customer && { subject: `customer:${customer.id}` })}
        trail={[<AllCustomers key="customers">Customers</AllCustomers>]}
      />
      <Page isNarrowColumn>
        {error && <Failure error={error} onRetry={() => void query.refetch()} />}
        {!isNew && !customer && !error && <Loading />}
        {(isNew || customer) && <Content key={customerId} customer={customer} />}
      </Page>
    </>
  )
}

function AllCustomers({ children }: { children: string }) {
  const workspaceId = useWorkspaceId()
  return (
    <Link to="/w/$workspaceId/customers" params={{ workspaceId }}>
      {children}
    </Link>
  )
}

function Content({ customer }: { customer: WithEntityTag<Customer> | undefined }) {
  const workspaceId = useWorkspaceId()
  const mayWrite = useMay('Customers: write')
  const navigate = useNavigate()
  const leave = () => navigate({ to: '/w/$workspaceId/customers', params: { workspaceId } })
  const open = (customerId: string) =>
    navigate({ to: '/w/$workspaceId/customers/$customerId', params: { workspaceId, customerId } })
  if (!mayWrite && !customer) return <Empty title="Your role may not make customers" />
  return (
    <>
      {customer && <Seen customer={customer} />}
      {customer && <CustomerLinks customer={customer} />}
      <CustomerForm
        customer={customer}
        onSaved={(id) => void open(id)}
        onLeave={() => void leave()}
      />
      {customer && mayWrite && <Delete customer={customer} onDeleted={() => void leave()} />}
    </>
  )
}

/** The page is the service's own, made by the code that makes it for the customer. */
function Seen({ customer: { id, deviceCount, sharedDeviceCount } }: { customer: Customer }) {
  const workspaceId = useWorkspaceId()
  return (
    <Panel
      title={formatCountOf(deviceCount, 'device')}
      note={
        sharedDeviceCount === 0
          ? 'none of them is another customer’s, too'
          : `${formatCountOf(sharedDeviceCount, 'of them is', 'of them are')} another customer’s, too`
      }
      aside={
        <a
          className={`${button['button']} ${button['usual']}`}
          href={`/workspaces/${workspaceId}/customers/${id}/page`}
          target="_blank"
          rel="noreferrer"
        >
          See it as the customer does
        </a>
      }
    >
      <p>
        The customer sees its devices, what they run, what was decided about that with its detail,
        published advisories, updates on their way, and until when there are fixes. It sees no
        comment, no cohort, no tag, and nothing of others.
      </p>
    </Panel>
  )
}

function Delete({ customer, onDeleted }: { customer: Customer; onDeleted: () => void }) {
  const workspaceId = useWorkspaceId()
  const queryClient = useQueryClient()
  const { id: customerId, name, linkCount } = customer
  const act = useMutation({
    mutationFn: () =>
      api.delete('/workspaces/{workspaceId}/customers/{customerId}', {
        params: { workspaceId, customerId },
      }),
    onSuccess: async () => {
      onDeleted()
      await queryClient.invalidateQueries({ queryKey: ['customers', workspaceId] })
    },
  })
  return (
    <div>
      <ConfirmedButton
        title={`Delete ${name}?`}
        what={
          <p>
            {linkCount === 0
              ? 'It has no link that works.'
              : `${formatCountOf(linkCount, 'link works', 'links work')} no longer then.`}{' '}
            Its devices stay as they are. The audit log keeps what was done.
          </p>
        }
        verb="Delete customer"
        act={act}
      >
        Delete customer…
      </ConfirmedButton>
    </div>
  )
}
