import type { Webhook } from '@plimsoll/api-client'
import { Select, TextInput } from '@mantine/core'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { api } from '../../api.ts'
import { Button } from '../../components/button.tsx'
import { Form, FormFault, ShownOnce } from '../../components/form.tsx'
import { useWorkspaceId } from '../../session.ts'
import css from './alerts.module.css'

const FORMATS = [
  { value: 'Plimsoll', label: 'signed JSON' },
  { value: 'Slack', label: 'Slack messages' },
  { value: 'Teams', label: 'Teams cards' },
] satisfies { value: Webhook['format']; label: string }[]

export function NewWebhook() {
  const workspaceId = useWorkspaceId()
  const queryClient = useQueryClient()
  const [name, setName] = useState('')
  const [url, setUrl] = useState('')
  const [format, setFormat] = useState<Webhook['format']>('Plimsoll')
  const create = useMutation({
    mutationFn: () =>
      api.post('/workspaces/{workspaceId}/webhooks', {
        params: { workspaceId },
        body: { name, url, format },
      }),
    onSuccess: async () => {
      setName('')
      setUrl('')
      await queryClient.invalidateQueries({ queryKey: ['alerts', workspaceId] })
    },
  })
  return (
    <div className={css['new']}>
      <Form onSubmit={() => create.mutate()} label="New webhook">
        <div className={`${css['row']} ${css['rowOfFour']}`}>
          <TextInput
            label="Name"
            placeholder="Chat"
            required
            value={name}
            onChange={(event) => setName(event.currentTarget.value)}
          />
          <TextInput
            label="URL"
            type="url"
            placeholder="https://"
            required
            value={url}
            onChange={(event) => setUrl(event.currentTarget.value)}
          />
          <Select
            label="Its server reads"
            data={FORMATS}
            allowDeselect={false}
            value={format}
            onChange={(value) => setFormat(value as Webhook['format'])}
          />
          <Button type="submit" isBusy={create.isPending}>
            Create webhook
          </Button>
        </div>
        <FormFault error={create.error} />
        {create.data && (
          <ShownOnce text={create.data.secret} label="secret">
            The secret, shown this once. The server checks with it that a message is ours.
          </ShownOnce>
        )}
      </Form>
    </div>
  )
}
