/** E-mail addresses that are told of advisories about what devices of the cohort run. */
import { Textarea } from '@mantine/core'
import type {
  CohortContacts as Contacts,
  DeploymentCohort,
  WithEntityTag,
} from '@plimsoll/api-client'
import { queryOptions, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { api } from '../../api.ts'
import { Button } from '../../components/button.tsx'
import { Form, FormActs, FormFault } from '../../components/form.tsx'
import { Panel } from '../../components/panel.tsx'
import { Failure, Loading } from '../../components/states.tsx'
import { useForm } from '../../components/use-form.ts'
import { formatCountOf } from '../../format/counts.ts'
import { useMay, useWorkspaceId } from '../../session.ts'

const CONTACTS = '/workspaces/{workspaceId}/deployment-cohorts/{deploymentCohortId}/contacts'

const contactsQuery = (workspaceId: string, deploymentCohortId: string) =>
  queryOptions({
    queryKey: ['deployments', workspaceId, 'contacts', deploymentCohortId],
    queryFn: () => api.get(CONTACTS, { params: { workspaceId, deploymentCohortId } }),
  })

export function CohortContacts({ cohort }: { cohort: DeploymentCohort }) {
  const { data, error, refetch } = useQuery(contactsQuery(useWorkspaceId(), cohort.id))
  return (
    <Panel
      title="Contacts"
      note="get one mail for each security advisory about versions that devices here run"
    >
      {error && <Failure error={error} onRetry={() => void refetch()} />}
      {!data && !error && <Loading rows={2} />}
      {data && <ContactsForm key={data.updatedAt} cohort={cohort} found={data} />}
    </Panel>
  )
}

function ContactsForm({
  cohort,
  found,
}: {
  cohort: DeploymentCohort
  found: WithEntityTag<Contacts>
}) {
  const workspaceId = useWorkspaceId()
  const mayWrite = useMay('Deployments: write')
  const queryClient = useQueryClient()
  const [opened] = useState(found)
  const { save, submit, field } = useForm(
    { contacts: opened.contacts.join('\n') },
    {
      mutationFn: ({ contacts }) =>
        api.put(CONTACTS, {
          params: { workspaceId, deploymentCohortId: cohort.id },
          body: { contacts: contacts.split('\n').flatMap((line) => line.trim() || []) },
          ifStill: opened,
        }),
      onSuccess: () => queryClient.invalidateQueries({ queryKey: ['deployments', workspaceId] }),
    },
  )
  return (
    <Form onSubmit={() => mayWrite && submit()} label="Contacts">
      <Textarea
        label="E-mail addresses"
        description="One a line. Each mail has a link that ends them"
        autosize
        minRows={2}
        disabled={!mayWrite}
        {...field('contacts')}
      />
      {found.unwanted.length > 0 && (
        <p>
          {formatCountOf(found.unwanted.length, 'address asks', 'addresses ask')} for no more mails:{' '}
          {found.unwanted.join(', ')}
        </p>
      )}
      <FormFault error={save.error} />
      {mayWrite && (
        <FormActs>
          <Button type="submit" isBusy={save.isPending}>
            Save contacts
          </Button>
        </FormActs>
      )}
    </Form>
  )
}
