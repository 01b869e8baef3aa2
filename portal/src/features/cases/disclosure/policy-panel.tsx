/** The public page: whether everybody can send reports, what stands above the form, and by when people answer. */
import { Checkbox, NumberInput, Textarea } from '@mantine/core'
import type { BodyOf, DisclosurePolicy, WithEntityTag } from '@plimsoll/api-client'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { api } from '../../../api.ts'
import { Button } from '../../../components/button.tsx'
import { ChangeFault } from '../../../components/change-fault.tsx'
import { GoodPractice, Law } from '../../../components/cases/law-mark.tsx'
import { disclosurePolicyQuery } from '../../../components/cases/queries.ts'
import { Copyable } from '../../../components/copyable.tsx'
import { Form, FormActs } from '../../../components/form.tsx'
import { pickChanges } from '../../../components/merged-values.ts'
import { Panel } from '../../../components/panel.tsx'
import { Failure, Loading } from '../../../components/states.tsx'
import { useChangeForm } from '../../../components/use-change-form.ts'
import { useMay, useWorkspaceId } from '../../../session.ts'
import css from '../cases.module.css'

const POLICY = '/workspaces/{workspaceId}/disclosure-policy'

export function PolicyPanel() {
  const workspaceId = useWorkspaceId()
  const mayRead = useMay('Workspace settings: read')
  const query = useQuery({ ...disclosurePolicyQuery(workspaceId), enabled: mayRead })
  if (!mayRead) return null
  const { data, error } = query
  return (
    <Panel
      title="The public page"
      note={data && (data.isPublic ? 'on: everybody can send reports' : 'off')}
      aside={<Law article="13(17); Annex I, part II, (5), (6)" />}
    >
      {error && !data && <Failure error={error} onRetry={() => void query.refetch()} />}
      {!data && !error && <Loading rows={3} />}
      {data && <PolicyForm policy={data} />}
    </Panel>
  )
}

const readPolicy = ({ pageUrl: _url, updatedAt: _at, policy, ...said }: DisclosurePolicy) => ({
  ...said,
  policy: policy ?? '',
})

type PolicyValues = ReturnType<typeof readPolicy>

const writePolicy = ({ policy, ...said }: PolicyValues): BodyOf<'updateDisclosurePolicy'> => ({
  ...said,
  policy: policy.trim() === '' ? null : policy,
})

const NAMES = {
  isPublic: 'whether everybody can open the page',
  showsProductLines: 'whether product lines are offered',
  mostPerDay: 'reports in a day',
}

function PolicyForm({ policy }: { policy: WithEntityTag<DisclosurePolicy> }) {
  const workspaceId = useWorkspaceId()
  const mayWrite = useMay('Workspace settings: write')
  const queryClient = useQueryClient()
  const { pageUrl } = policy
  const params = { workspaceId }
  const form = useChangeForm({
    latest: policy,
    audited: { action: 'disclosure-policy.update' },
    readValues: readPolicy,
    load: () => api.get(POLICY, { params }),
    send: (values, ifStill, before) => {
      const body = pickChanges(writePolicy(before), writePolicy(values))
      return api.patch(POLICY, { params, body, ifStill })
    },
    onSuccess: () => queryClient.invalidateQueries({ queryKey: ['cases', workspaceId] }),
  })
  const { field, checkbox, save } = form
  const days = (name: 'answerDays' | 'assessmentDays' | 'disclosureDays', label: string) => (
    <NumberInput label={label} min={1} max={3650} {...field(name, Number)} />
  )
  return (
    <Form onSubmit={() => mayWrite && form.submit()} label="The public page">
      <p className={css['note']}>
        {policy.isPublic ? 'Everybody finds it here:' : 'Nobody can open it. It would be here:'}{' '}
        <Copyable text={pageUrl} label="address of the public page" />
      </p>
      <Checkbox
        mt={8}
        label="Everybody can open the page and send reports"
        {...checkbox('isPublic')}
      />
      <Checkbox
        mt={8}
        label="The form offers the names of product lines"
        {...checkbox('showsProductLines')}
      />
      <Textarea
        mt={12}
        label="Your policy"
        description="Stands above the form, as text: what you ask of whoever reports, and what you promise. Empty: a sentence of Plimsoll"
        autosize
        minRows={4}
        maxRows={20}
        maxLength={20_000}
        {...field('policy')}
      />
      <div className={css['days']}>
        {days('answerDays', 'Working days until a person answers')}
        {days('assessmentDays', 'Working days until it is assessed')}
        {days('disclosureDays', 'Days until it is disclosed')}
        <NumberInput
          label="Reports in a day, at most"
          min={1}
          max={10_000}
          {...field('mostPerDay', Number)}
        />
      </div>
      <p className={css['note']}>
        <GoodPractice /> 5, 10 and 90 days are those of BSI TR-03183-3. No law names them. Working
        days are Monday to Friday in UTC.
      </p>
      <ChangeFault error={save.error} meanwhile={form.meanwhile} names={NAMES} />
      {!mayWrite && <p className={css['note']}>Admins and owners change this.</p>}
      <FormActs>
        <Button type="submit" kind="primary" disabled={!mayWrite} isBusy={save.isPending}>
          Save the page
        </Button>
      </FormActs>
    </Form>
  )
}
