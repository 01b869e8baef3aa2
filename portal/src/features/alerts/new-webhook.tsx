import type { Webhook } from '@plimsoll/api-client'
import { Select, TextInput } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { api } from '../../api.ts'
import { Button } from '../../components/button.tsx'
import { Form, FormFault, ShownOnce } from '../../components/form.tsx'
import { useForm } from '../../components/use-form.ts'
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
  const first: Pick<Webhook, 'name' | 'url' | 'format'> = { name: '', url: '', format: 'Plimsoll' }
  const { save, submit, change, field } = useForm(first, {
    mutationFn: (body) =>
      api.post('/workspaces/{workspaceId}/webhooks', { params: { workspaceId }, body }),
    onSuccess: async () => {
      change({ name: '', url: '' })
      await queryClient.invalidateQueries({ queryKey: ['alerts', workspaceId] })
    },
  })
  return (
    <div className={css['new']}>
      <Form onSubmit={submit} label="New webhook">
        <div className={`${css['row']} ${css['rowOfFour']}`}>
          <TextInput label="Name" placeholder="Chat" required {...field('name')} />
          <TextInput label="URL" type="url" placeholder="https://" required {...field('url')} />
          <Select
            label="Its server reads"
            data={FORMATS}
            allowDeselect={false}
            {...field('format')}
          />
          <Button type="submit" isBusy={save.isPending}>
            Create webhook
          </Button>
        </div>
        <FormFault error={save.error} />
        {save.data && (
          <ShownOnce text={save.data.secret} label="secret">
            The secret, shown this once. The server checks with it that a message is ours.
          </ShownOnce>
        )}
      </Form>
    </div>
  )
}
