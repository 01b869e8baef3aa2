/** What the workspace demands of whoever accepts a risk, and who is told of its end. */
import { Checkbox, NumberInput, Select } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { FormFault } from '../../components/form.tsx'
import { Panel } from '../../components/panel.tsx'
import type { FormOf } from '../../components/use-form.ts'
import { useWorkspaceId } from '../../session.ts'
import { webhooksQuery } from '../../workspace-queries.ts'
import css from './settings-page.module.css'
import type { SettingsValues } from './settings-values.ts'

const REQUIREMENTS = [
  { value: 'Reason', text: 'a reason' },
  { value: 'Owner', text: 'an owner' },
  { value: 'End', text: 'an end' },
] as const

export function AcceptancesPanel(form: FormOf<SettingsValues>) {
  const { values, change, field, checkbox, findFault } = form
  const { acceptanceRequirements: demanded } = values
  const demand = (chosen: readonly string[]) =>
    change({
      acceptanceRequirements: REQUIREMENTS.map((one) => one.value).filter((one) =>
        chosen.includes(one),
      ),
    })
  return (
    <Panel
      title="Accepted risks"
      note="findings that are ignored with a reason, an owner or an end"
    >
      <Checkbox.Group
        label="Whoever ignores a finding has to say"
        description="People and API keys. What is ignored already stays so."
        error={findFault('acceptanceRequirements')}
        value={demanded}
        onChange={demand}
      >
        {REQUIREMENTS.map(({ value, text }) => (
          <Checkbox key={value} mt={8} value={value} label={text} />
        ))}
      </Checkbox.Group>
      <div className={css['grid']}>
        <NumberInput
          mt={12}
          label="Tell the owner days before the end"
          description="0: only when it has ended"
          min={0}
          max={365}
          {...field('acceptanceNoticeDays', Number)}
        />
        <EndsWebhook {...form} />
      </div>
      <Checkbox
        mt={12}
        label="The release gate counts exploited findings although they are accepted"
        {...checkbox('gateForbidsExploitedAcceptances')}
      />
    </Panel>
  )
}

/** Whoever may not read webhooks sees that one is chosen, and leaves it. */
function EndsWebhook({ values, field }: FormOf<SettingsValues>) {
  const { data, error } = useQuery(webhooksQuery(useWorkspaceId()))
  const { acceptanceWebhookId: chosen } = values
  const listed = (data?.webhooks ?? []).map(({ id, name }) => ({ value: id, label: name }))
  const isListed = listed.some(({ value }) => value === chosen)
  const unlisted =
    chosen === null || isListed ? [] : [{ value: chosen, label: 'a webhook that is not listed' }]
  return (
    <div>
      <Select
        mt={12}
        label="Webhook that is told of ends"
        description="beside the mails to owners"
        placeholder="None"
        clearable
        data={[...listed, ...unlisted]}
        {...field('acceptanceWebhookId')}
      />
      {error && <FormFault error={error} said="Which webhooks there are is not known." />}
    </div>
  )
}
