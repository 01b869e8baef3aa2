import { Checkbox, Select, TextInput } from '@mantine/core'
import type { FormOf } from '../../components/use-form.ts'
import css from './alerts.module.css'
import { type Frequency, isAboutFindings, type RulePlan, USUAL_FREQUENCIES } from './rule-plan.ts'

const FREQUENCIES: readonly { value: Frequency; label: string }[] = [
  { value: '1m', label: 'every minute' },
  { value: '5m', label: 'every 5 minutes' },
  { value: '15m', label: 'every 15 minutes' },
  { value: '30m', label: 'every 30 minutes' },
  { value: '1h', label: 'every hour' },
  { value: '6h', label: 'every 6 hours' },
  { value: '1d', label: 'every day' },
]

/** When it looks, and how it tells. */
export function TellingFields({ values, field, checkbox }: FormOf<RulePlan>) {
  return (
    <>
      <div className={css['fields']}>
        <Select
          label="Looks"
          allowDeselect={false}
          data={FREQUENCIES}
          {...field('evaluationFrequency')}
          value={values.evaluationFrequency ?? USUAL_FREQUENCIES[values.type]}
        />
        <TextInput
          label="Reminds every"
          description="such as 4h, until somebody acknowledges; empty: never"
          {...field('repeatInterval')}
        />
      </div>
      <Checkbox label="Also tells when it is over" {...checkbox('notifyResolved')} />
      {isAboutFindings(values.type) && (
        <Checkbox
          label="Tells owners by mail of what is theirs"
          description="Mail targets then only get what belongs to nobody; webhooks get all"
          {...checkbox('notifyOwners')}
        />
      )}
    </>
  )
}
