/** As whom the workspace publishes, under which numbers, and what security.txt names. */
import { Textarea, TextInput } from '@mantine/core'
import type { AdvisoryPublisher, WithEntityTag } from '@plimsoll/api-client'
import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { api } from '../../api.ts'
import { Button } from '../../components/button.tsx'
import { Form, FormActs, FormFault } from '../../components/form.tsx'
import { Panel } from '../../components/panel.tsx'
import { useForm } from '../../components/use-form.ts'
import { useMay, useWorkspaceId } from '../../session.ts'
import css from './advisories.module.css'

interface PublisherValues {
  prefix: string
  name: string
  namespace: string
  contact: string
  publicAddress: string
  /** One a line, the preferred one first. */
  contacts: string
  policyAddress: string
}

const readPublisher = (publisher: AdvisoryPublisher): PublisherValues => ({
  prefix: publisher.prefix,
  name: publisher.name ?? '',
  namespace: publisher.namespace ?? '',
  contact: publisher.contact ?? '',
  publicAddress: publisher.publicAddress ?? '',
  contacts: publisher.contacts.join('\n'),
  policyAddress: publisher.policyAddress ?? '',
})

const said = (text: string) => (text.trim() === '' ? null : text.trim())

const writePublisher = (values: PublisherValues) => ({
  prefix: values.prefix.trim(),
  name: said(values.name),
  namespace: said(values.namespace),
  contact: said(values.contact),
  publicAddress: said(values.publicAddress),
  contacts: values.contacts.split('\n').flatMap((line) => said(line) ?? []),
  policyAddress: said(values.policyAddress),
})

export function PublisherForm({ publisher }: { publisher: WithEntityTag<AdvisoryPublisher> }) {
  const workspaceId = useWorkspaceId()
  const mayWrite = useMay('Workspace settings: write')
  const queryClient = useQueryClient()
  const [opened] = useState(publisher)
  const { save, submit, field } = useForm(() => readPublisher(opened), {
    mutationFn: (values: PublisherValues) =>
      api.patch('/workspaces/{workspaceId}/advisory-publisher', {
        params: { workspaceId },
        body: writePublisher(values),
        ifStill: opened,
      }),
    onSuccess: () => queryClient.invalidateQueries({ queryKey: ['cases', workspaceId] }),
  })
  return (
    <Form onSubmit={() => mayWrite && submit()} label="Publisher">
      <Panel
        title="As whom"
        note={`documents name ${opened.publishesAs}; those that were published stay as they are`}
      >
        <div className={css['grid']}>
          <TextInput
            label="Name of the publisher"
            description="Empty: that of VEX documents"
            {...field('name')}
          />
          <TextInput
            label="Beginning of numbers"
            description="As in ACME, for ACME-2026-0001. Numbers that were given stay"
            required
            {...field('prefix')}
          />
          <TextInput
            label="Your own address"
            description="The site of the publisher. Empty: that of VEX documents"
            placeholder="https://"
            {...field('namespace')}
          />
          <TextInput
            label="Address of the public path"
            description="Where a server of yours passes it on. Empty: this service"
            placeholder="https://"
            {...field('publicAddress')}
          />
          <Textarea
            className={css['wide']}
            label="Contact for readers"
            description="Stands in each document and on its page"
            autosize
            minRows={1}
            maxLength={2_000}
            {...field('contact')}
          />
        </div>
      </Panel>
      <Panel title="What security.txt names">
        <div className={css['grid']}>
          <Textarea
            className={css['wide']}
            label="Contacts"
            description="One a line, the preferred one first: mailto:, https:// or tel:"
            autosize
            minRows={2}
            {...field('contacts')}
          />
          <TextInput
            className={css['wide']}
            label="Policy of disclosure"
            description="Its address. Empty: none is named"
            placeholder="https://"
            {...field('policyAddress')}
          />
        </div>
      </Panel>
      {!mayWrite && (
        <p className={css['note']}>
          Your role may read how advisories are published, not change it.
        </p>
      )}
      <FormFault error={save.error} />
      <FormActs>
        <Button type="submit" kind="primary" disabled={!mayWrite} isBusy={save.isPending}>
          Save
        </Button>
      </FormActs>
    </Form>
  )
}
