/** Whose devices, and whom to tell. */
import { MultiSelect, Textarea, TextInput } from '@mantine/core'
import type { Customer, WithEntityTag } from '@plimsoll/api-client'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { api } from '../../api.ts'
import { Button } from '../../components/button.tsx'
import { ChangeFault } from '../../components/change-fault.tsx'
import { Form, FormActs } from '../../components/form.tsx'
import { pickChanges } from '../../components/merged-values.ts'
import { Panel } from '../../components/panel.tsx'
import { useChangeForm } from '../../components/use-change-form.ts'
import { useMay, useWorkspaceId } from '../../session.ts'
import { cohortsQuery } from '../../workspace-queries.ts'
import { readCustomer, writeCustomer } from './customer-values.ts'
import css from './customers.module.css'

const CUSTOMERS = '/workspaces/{workspaceId}/customers'
const CUSTOMER = `${CUSTOMERS}/{customerId}` as const

const NAMES = { cohortIds: 'cohorts' }

interface CustomerFormProps {
  /** undefined: a new one. */
  customer: WithEntityTag<Customer> | undefined
  onSaved: (id: string) => void
  onLeave: () => void
}

export function CustomerForm({ customer, onSaved, onLeave }: CustomerFormProps) {
  const workspaceId = useWorkspaceId()
  const mayWrite = useMay('Customers: write')
  const queryClient = useQueryClient()
  const { data: cohorts } = useQuery({
    ...cohortsQuery(workspaceId),
    enabled: useMay('Deployments: read'),
  })
  const params = { workspaceId, customerId: customer?.id ?? '' }
  const form = useChangeForm({
    latest: customer,
    audited: { subject: `customer:${params.customerId}` },
    readValues: readCustomer,
    load: () => api.get(CUSTOMER, { params }),
    send: (values, ifStill, before): Promise<Customer> => {
      const body = writeCustomer(values)
      if (!ifStill) return api.post(CUSTOMERS, { params: { workspaceId }, body })
      const changes = pickChanges(writeCustomer(before), body)
      return api.patch(CUSTOMER, { params, body: changes, ifStill })
    },
    onSuccess: async ({ id }) => {
      await queryClient.invalidateQueries({ queryKey: ['customers', workspaceId] })
      onSaved(id)
    },
  })
  const { save, field } = form
  const known = [...(customer?.cohorts ?? []), ...(cohorts?.deploymentCohorts ?? [])]
  const offered = new Map(known.map(({ id, name }) => [id, name]))
  return (
    <Form
      onSubmit={() => mayWrite && form.submit()}
      label={customer ? customer.name : 'New customer'}
    >
      <Panel
        title="Whose devices"
        note="a device that moves is seen by the new customer alone, since then"
      >
        <div className={css['grid']}>
          <TextInput label="Name" description="The customer reads it" required {...field('name')} />
          <TextInput
            label="Tag"
            description="Devices with this tag are its"
            maxLength={100}
            {...field('tag')}
          />
          <MultiSelect
            label="Cohorts"
            description="Devices of these are its, too"
            searchable
            data={[...offered].map(([value, label]) => ({ value, label }))}
            {...field('cohortIds')}
          />
          <Textarea
            className={css['wide']}
            label="Contacts"
            description="E-mail addresses, one a line: psirt@example.com or Security desk <psirt@example.com>"
            autosize
            minRows={2}
            {...field('contacts')}
          />
          <Textarea
            className={css['wide']}
            label="Note"
            description="For the team: the customer never sees it"
            autosize
            minRows={2}
            maxLength={4000}
            {...field('note')}
          />
        </div>
        {!mayWrite && (
          <p className={css['note']}>Admins and owners change customers; you may read them.</p>
        )}
        <ChangeFault error={save.error} meanwhile={form.meanwhile} names={NAMES} />
        <FormActs>
          <Button onClick={onLeave}>Go back</Button>
          <Button type="submit" kind="primary" disabled={!mayWrite} isBusy={save.isPending}>
            {customer ? 'Save customer' : 'Create customer'}
          </Button>
        </FormActs>
      </Panel>
    </Form>
  )
}
