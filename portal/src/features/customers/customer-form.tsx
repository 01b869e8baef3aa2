/** Whose devices, and whom to tell. */
import { MultiSelect, Textarea, TextInput } from '@mantine/core'
import type { Customer } from '@plimsoll/api-client'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { api } from '../../api.ts'
import { Button } from '../../components/button.tsx'
import { Form, FormActs, FormFault } from '../../components/form.tsx'
import { Panel } from '../../components/panel.tsx'
import { useForm } from '../../components/use-form.ts'
import { useMay, useWorkspaceId } from '../../session.ts'
import { cohortsQuery } from '../../workspace-queries.ts'
import {
  type CustomerValues,
  listChanges,
  NO_CUSTOMER,
  readCustomer,
  writeCustomer,
} from './customer-values.ts'
import css from './customers.module.css'

const CUSTOMERS = '/workspaces/{workspaceId}/customers'

interface CustomerFormProps {
  /** undefined: a new one. */
  customer: Customer | undefined
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
  // What was opened: the page goes on reading the newest.
  const [opened] = useState(() => (customer ? readCustomer(customer) : NO_CUSTOMER))
  const form = useForm(opened, {
    mutationFn: (values: CustomerValues) =>
      customer
        ? api.patch(`${CUSTOMERS}/{customerId}`, {
            params: { workspaceId, customerId: customer.id },
            body: listChanges(opened, values),
          })
        : api.post(CUSTOMERS, { params: { workspaceId }, body: writeCustomer(values) }),
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
        <FormFault error={save.error} />
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
