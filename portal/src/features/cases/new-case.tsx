/** A case by hand: what nobody has proposed, or a drill. It starts no clock. */
import { Checkbox, MultiSelect, Select, Textarea, TextInput } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { api } from '../../api.ts'
import { Button } from '../../components/button.tsx'
import { productLinesQuery } from '../../components/cases/queries.ts'
import { Dialog } from '../../components/dialog.tsx'
import { Form, FormActs, FormFault } from '../../components/form.tsx'
import { useForm } from '../../components/use-form.ts'
import { useWorkspaceId } from '../../session.ts'

export function NewCase() {
  const [isOpen, dialog] = useDisclosure(false)
  return (
    <>
      <Button kind="primary" aria-haspopup="dialog" onClick={dialog.open}>
        New case
      </Button>
      <Dialog opened={isOpen} onClose={dialog.close} title="New case">
        <NewCaseForm />
      </Dialog>
    </>
  )
}

interface Values {
  type: 'Vulnerability' | 'Incident'
  title: string
  cveId: string
  productLineIds: string[]
  isDrill: boolean
  reason: string
}

const FIRST: Values = {
  type: 'Vulnerability',
  title: '',
  cveId: '',
  productLineIds: [],
  isDrill: false,
  reason: '',
}

const said = (text: string) => (text.trim() === '' ? null : text.trim())

function NewCaseForm() {
  const workspaceId = useWorkspaceId()
  const navigate = useNavigate()
  const queryClient = useQueryClient()
  const { data } = useQuery(productLinesQuery(workspaceId))
  const { save, submit, values, field, checkbox } = useForm(FIRST, {
    mutationFn: ({ title, cveId, reason, ...body }: Values) =>
      api.post('/workspaces/{workspaceId}/cases', {
        params: { workspaceId },
        body: {
          ...body,
          title: title.trim(),
          cveId: body.type === 'Incident' ? null : said(cveId),
          reason: said(reason),
        },
      }),
    onSuccess: async ({ id }) => {
      await queryClient.invalidateQueries({ queryKey: ['cases', workspaceId] })
      await navigate({
        to: '/w/$workspaceId/cases/$caseId',
        params: { workspaceId, caseId: id },
      })
    },
  })
  return (
    <Form onSubmit={submit} label="New case">
      <Select
        label="Kind"
        allowDeselect={false}
        data={[
          { value: 'Vulnerability', label: 'Exploited vulnerability' },
          { value: 'Incident', label: 'Severe incident' },
        ]}
        {...field('type')}
      />
      <TextInput label="Title" required data-autofocus maxLength={255} {...field('title')} />
      {values.type === 'Vulnerability' && (
        <TextInput
          label="CVE id"
          description="If it has one. There is one case for each vulnerability and manufacturer"
          placeholder="CVE-2026-31431"
          {...field('cveId')}
        />
      )}
      <MultiSelect
        label="Product lines"
        searchable
        description="Of one manufacturer. Empty: not known yet"
        data={(data?.productLines ?? []).map(({ id, name, manufacturer }) => ({
          value: id,
          label: `${name} (${manufacturer})`,
        }))}
        {...field('productLineIds')}
      />
      <Textarea
        label="First hint"
        description="What somebody saw or heard"
        autosize
        minRows={2}
        maxLength={4000}
        {...field('reason')}
      />
      <Checkbox label="This is a drill: same clocks, marked" {...checkbox('isDrill')} />
      <FormFault error={save.error} said="Not created." />
      <FormActs>
        <Button
          type="submit"
          kind="primary"
          disabled={values.title.trim() === ''}
          isBusy={save.isPending}
        >
          Create case
        </Button>
      </FormActs>
    </Form>
  )
}
