/** Records at a finding that it was reported to whoever makes the component. */
import { Textarea, TextInput } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { useQueryClient } from '@tanstack/react-query'
import { api } from '../../api.ts'
import { formatForField } from '../../format/dates.ts'
import { useWorkspaceId } from '../../session.ts'
import { Button } from '../button.tsx'
import { Dialog, GoBack } from '../dialog.tsx'
import { Form, FormActs, FormFault } from '../form.tsx'
import { useForm } from '../use-form.ts'

export function NewUpstreamReport({ findingId }: { findingId: string }) {
  const [isOpen, dialog] = useDisclosure(false)
  return (
    <>
      <Button size="small" aria-haspopup="dialog" onClick={dialog.open}>
        Record a report…
      </Button>
      <Dialog opened={isOpen} onClose={dialog.close} title="Reported upstream">
        <ReportForm findingId={findingId} onDone={dialog.close} />
      </Dialog>
    </>
  )
}

function ReportForm({ findingId, onDone }: { findingId: string; onDone: () => void }) {
  const workspaceId = useWorkspaceId()
  const queryClient = useQueryClient()
  const { save, submit, values, field } = useForm(
    { reportedAt: formatForField(new Date()), recipient: '', text: '', fix: '' },
    {
      mutationFn: ({ reportedAt, recipient, text, fix }) =>
        api.post('/workspaces/{workspaceId}/vulnerability-findings/{findingId}/upstream-reports', {
          params: { workspaceId, findingId },
          body: {
            reportedAt: new Date(reportedAt).toISOString(),
            recipient: recipient.trim(),
            text: text.trim(),
            fix: fix.trim() === '' ? null : fix.trim(),
          },
        }),
      onSuccess: async () => {
        await queryClient.invalidateQueries({ queryKey: ['cases', workspaceId] })
        onDone()
      },
    },
  )
  const isReady =
    values.recipient.trim() !== '' &&
    values.text.trim() !== '' &&
    !Number.isNaN(new Date(values.reportedAt).getTime())
  return (
    <Form onSubmit={() => isReady && submit()} label="Reported upstream">
      <p>Keeps what was reported, when and to whom. Nothing is sent.</p>
      <TextInput
        label="To"
        description="Whoever makes or maintains the component"
        required
        data-autofocus
        maxLength={200}
        {...field('recipient')}
      />
      <TextInput type="datetime-local" label="When" required {...field('reportedAt')} />
      <Textarea
        label="What was reported"
        required
        autosize
        minRows={3}
        maxRows={16}
        maxLength={20_000}
        {...field('text')}
      />
      <Textarea
        label="What was shared to mend it"
        description="Such as the address of a patch; empty: nothing"
        autosize
        minRows={1}
        maxRows={8}
        maxLength={20_000}
        {...field('fix')}
      />
      <FormFault error={save.error} said="Not recorded." />
      <FormActs>
        <GoBack />
        <Button type="submit" kind="primary" disabled={!isReady} isBusy={save.isPending}>
          Record it
        </Button>
      </FormActs>
    </Form>
  )
}
