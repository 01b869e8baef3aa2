import type { FirmwareLines, FirmwareVersionListItem } from '@plimsoll/api-client'
import { TextInput } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { api } from '../../api.ts'
import { Button } from '../../components/button.tsx'
import { Dialog } from '../../components/dialog.tsx'
import { Form, FormFault } from '../../components/form.tsx'
import { useForm } from '../../components/use-form.ts'
import { LineChoice } from './lines/version-line.tsx'
import { useWorkspaceId } from '../../session.ts'

interface NewVersionProps {
  firmwareId: string
  /** Decisions carry over from it. undefined: there is none yet, or the name decides which line it is of. */
  newest: FirmwareVersionListItem | undefined
  lines: FirmwareLines['lines']
}

export function NewVersion(props: NewVersionProps) {
  const [isOpen, dialog] = useDisclosure(false)
  return (
    <>
      <Button kind="primary" aria-haspopup="dialog" onClick={dialog.open}>
        New version
      </Button>
      <Dialog opened={isOpen} onClose={dialog.close} title="New version">
        <NewVersionForm {...props} />
      </Dialog>
    </>
  )
}

function NewVersionForm({ firmwareId, newest, lines }: NewVersionProps) {
  const workspaceId = useWorkspaceId()
  const navigate = useNavigate()
  const queryClient = useQueryClient()
  const { save, submit, field, values, change, findFault } = useForm(
    { name: '', lineId: '' },
    {
      mutationFn: ({ name, lineId }) =>
        api.post('/workspaces/{workspaceId}/firmwares/{firmwareId}/versions', {
          params: { workspaceId, firmwareId },
          body: {
            name,
            ...(newest && { predecessorId: newest.id }),
            ...(lineId !== '' && { statedLineId: lineId }),
          },
        }),
      onSuccess: async ({ id }) => {
        await queryClient.invalidateQueries({ queryKey: ['firmware', workspaceId] })
        await navigate({
          to: '/w/$workspaceId/versions/$versionId',
          params: { workspaceId, versionId: id },
          search: { tab: 'sboms' },
        })
      },
    },
  )
  return (
    <Form onSubmit={submit}>
      <TextInput
        label="Version"
        description="As devices report it: 4.2.1"
        required
        data-autofocus
        {...field('name')}
      />
      {newest && (
        <p>
          Follows <code>{newest.name}</code>: what was decided there is carried over where it still
          holds.
        </p>
      )}
      {lines.length > 0 && (
        <>
          <LineChoice
            lines={lines}
            value={values.lineId}
            error={findFault('statedLineId')}
            onChange={(lineId) => change({ lineId })}
          />
          <p>
            It follows the newest version of its line: what was decided there is carried over where
            it still holds.
          </p>
        </>
      )}
      <FormFault error={save.error} />
      <Button type="submit" kind="primary" isBusy={save.isPending}>
        Create version
      </Button>
    </Form>
  )
}
