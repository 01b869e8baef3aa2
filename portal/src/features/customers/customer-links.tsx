/** The links by which a customer sees its page: made, copied once, revoked. */
import { TextInput } from '@mantine/core'
import type { Customer, CustomerLink } from '@plimsoll/api-client'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { api } from '../../api.ts'
import { findBlockingError } from '../../components/blocking-error.ts'
import { Button } from '../../components/button.tsx'
import { type CardColumn, CardTable } from '../../components/card-table.tsx'
import { ConfirmedButton } from '../../components/confirm.tsx'
import { Form, FormFault, ShownOnce } from '../../components/form.tsx'
import { Panel } from '../../components/panel.tsx'
import { Failure, Loading } from '../../components/states.tsx'
import { Tag } from '../../components/tag.tsx'
import { Time } from '../../components/time.tsx'
import { useForm } from '../../components/use-form.ts'
import { formatCount, formatCountOf } from '../../format/counts.ts'
import { useMay, useWorkspaceId } from '../../session.ts'
import css from './customers.module.css'
import { describeLinkState, readEndOfDay } from './link-state.ts'
import { customerLinksQuery } from './queries.ts'

const LINKS = '/workspaces/{workspaceId}/customers/{customerId}/links'

export function CustomerLinks({ customer }: { customer: Customer }) {
  const workspaceId = useWorkspaceId()
  const mayWrite = useMay('Customers: write')
  const query = useQuery(customerLinksQuery(workspaceId, customer.id))
  const error = findBlockingError(query)
  const links = query.data?.links
  return (
    <Panel title="Links" note="whoever has one sees the page, without an account">
      {mayWrite && <NewLink customer={customer} />}
      {error && <Failure error={error} onRetry={() => void query.refetch()} />}
      {!links && !error && <Loading rows={2} />}
      {links?.length === 0 && <p>There is none yet: the customer sees nothing.</p>}
      {links && links.length > 0 && (
        <CardTable
          label="Links"
          list="customer-links"
          csv={{
            name: 'customer-links',
            columns: [
              'name',
              'createdByEmail',
              'createdAt',
              'endsAt',
              'lastUsedAt',
              'uses',
              'revokedAt',
              'id',
            ],
          }}
          columns={mayWrite ? [...COLUMNS, createActs(customer)] : COLUMNS}
          rows={links}
          keyOf={({ id }) => id}
        />
      )}
    </Panel>
  )
}

const COLUMNS: readonly CardColumn<CustomerLink>[] = [
  { title: 'Name', isPlain: true, cell: ({ name }) => <strong>{name}</strong> },
  {
    title: 'Made',
    cell: ({ createdByEmail, createdAt }) => (
      <>
        {createdByEmail !== null && `by ${createdByEmail} `}
        <Time at={createdAt} />
      </>
    ),
  },
  {
    title: 'Ends',
    cell: ({ endsAt }) => (endsAt === null ? 'never' : <Time at={endsAt} as="date" />),
  },
  {
    title: 'Last used',
    cell: ({ lastUsedAt }) => (lastUsedAt === null ? 'not yet' : <Time at={lastUsedAt} />),
  },
  { title: 'Uses', cell: ({ uses }) => formatCount(uses) },
  { title: 'State', cell: (link) => <Tag>{describeLinkState(link)}</Tag> },
]

const createActs = (customer: Customer): CardColumn<CustomerLink> => ({
  title: 'Acts',
  isActs: true,
  cell: (link) =>
    link.revokedAt === null && (
      <div className={css['acts']}>
        <RevokeLink customer={customer} link={link} />
      </div>
    ),
})

function RevokeLink({ customer, link }: { customer: Customer; link: CustomerLink }) {
  const workspaceId = useWorkspaceId()
  const queryClient = useQueryClient()
  const revoke = useMutation({
    mutationFn: () =>
      api.delete(`${LINKS}/{linkId}`, {
        params: { workspaceId, customerId: customer.id, linkId: link.id },
      }),
    onSuccess: () => queryClient.invalidateQueries({ queryKey: ['customers', workspaceId] }),
  })
  return (
    <ConfirmedButton
      size="small"
      label={`Revoke ${link.name}`}
      title={`Revoke the link ${link.name}?`}
      verb="Revoke link"
      act={revoke}
      what={`Whoever has it sees nothing of ${customer.name} from now on. It was used ${formatCountOf(link.uses, 'time')}.`}
    >
      Revoke…
    </ConfirmedButton>
  )
}

function NewLink({ customer }: { customer: Customer }) {
  const workspaceId = useWorkspaceId()
  const queryClient = useQueryClient()
  const first = { name: '', endsAt: '' }
  const { save, submit, change, field } = useForm(first, {
    mutationFn: ({ name, endsAt: day }) => {
      const endsAt = readEndOfDay(day)
      return api.post(LINKS, {
        params: { workspaceId, customerId: customer.id },
        body: { name, ...(endsAt !== undefined && { endsAt }) },
      })
    },
    onSuccess: () => {
      change(first)
      return queryClient.invalidateQueries({ queryKey: ['customers', workspaceId] })
    },
  })
  return (
    <Form onSubmit={submit} label="New link">
      <div className={css['row']}>
        <TextInput label="Who gets it" placeholder="Security desk" required {...field('name')} />
        <TextInput
          type="date"
          label="Ends after"
          title="In a year if you choose none"
          {...field('endsAt')}
        />
        <Button type="submit" isBusy={save.isPending}>
          Make link
        </Button>
      </div>
      <FormFault error={save.error} said="Not made." />
      {save.data && (
        <ShownOnce text={save.data.url} label="link">
          The link for {save.data.name}, shown this once. Send it as you would send a password:
        </ShownOnce>
      )}
    </Form>
  )
}
