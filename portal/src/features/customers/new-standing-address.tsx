/** Makes a standing address: about what, which documents, and for whom. */
import { Checkbox, MultiSelect, Select, TextInput } from '@mantine/core'
import { STANDING_DOCUMENT, type StandingDocument } from '@plimsoll/api-client'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { api } from '../../api.ts'
import { Button } from '../../components/button.tsx'
import { Form, FormFault, ShownOnce } from '../../components/form.tsx'
import { useForm } from '../../components/use-form.ts'
import { useMay, useWorkspaceId } from '../../session.ts'
import { firmwaresQuery, linesQuery } from '../../workspace-queries.ts'
import css from './customers.module.css'
import { readEndOfDay } from './link-state.ts'
import { DOCUMENT_WORDS } from './standing-documents.ts'

interface AddressValues {
  name: string
  firmwareId: string | null
  /** null: the newest version of the firmware. */
  lineId: string | null
  documents: StandingDocument[]
  isPublic: boolean
  endsAt: string
}

const FIRST: AddressValues = {
  name: '',
  firmwareId: null,
  lineId: null,
  documents: ['Vex', 'Support'],
  isPublic: false,
  endsAt: '',
}

export function NewStandingAddress() {
  const workspaceId = useWorkspaceId()
  const queryClient = useQueryClient()
  const { save, submit, values, change, field, checkbox } = useForm(FIRST, {
    mutationFn: ({ firmwareId, endsAt: day, ...others }: AddressValues) => {
      const endsAt = readEndOfDay(day)
      return api.post('/workspaces/{workspaceId}/standing-addresses', {
        params: { workspaceId },
        body: { ...others, firmwareId: firmwareId ?? '', ...(endsAt !== undefined && { endsAt }) },
      })
    },
    onSuccess: () => {
      change(FIRST)
      return queryClient.invalidateQueries({ queryKey: ['customers', workspaceId] })
    },
  })
  const mayReadFirmware = useMay('Firmware: read')
  const { data: firmwares } = useQuery({
    ...firmwaresQuery(workspaceId),
    enabled: mayReadFirmware,
  })
  const { data: lines } = useQuery({
    ...linesQuery(workspaceId, values.firmwareId ?? ''),
    enabled: mayReadFirmware && values.firmwareId !== null,
  })
  return (
    <Form onSubmit={submit} label="New standing address">
      <div className={css['row']}>
        <TextInput label="Name" placeholder="Who reads it" required {...field('name')} />
        <Select
          label="Firmware"
          required
          searchable
          data={(firmwares?.firmwares ?? []).map(({ id, name }) => ({ value: id, label: name }))}
          {...field('firmwareId')}
          onChange={(firmwareId) => change({ firmwareId, lineId: null })}
        />
        {lines && lines.lines.length > 0 && (
          <Select
            label="Release line"
            placeholder="any: the newest version"
            clearable
            data={lines.lines.map(({ id, name }) => ({ value: id, label: name }))}
            {...field('lineId')}
          />
        )}
        <MultiSelect
          label="Documents"
          searchable
          required
          data={STANDING_DOCUMENT.map((value) => ({ value, label: DOCUMENT_WORDS[value] }))}
          {...field('documents')}
        />
        <TextInput
          type="date"
          label="Ends after"
          title="If you choose none: a link in a year, an address for everybody never"
          {...field('endsAt')}
        />
        <Checkbox label="For everybody who knows the address" {...checkbox('isPublic')} />
        <Button type="submit" isBusy={save.isPending}>
          Make address
        </Button>
      </div>
      <p className={css['note']}>
        It is about the version that was created last, also one that has not shipped yet. What is
        decided is there a minute later.
      </p>
      <FormFault error={save.error} said="Not made." />
      {save.data && (
        <ShownOnce text={save.data.url} label="address">
          {save.data.token === null
            ? 'The address, for everybody:'
            : 'The address with its token, shown this once. Send it as you would send a password:'}
        </ShownOnce>
      )}
    </Form>
  )
}
