import { MultiSelect, Select, Textarea, TextInput } from '@mantine/core'
import { ADVISORY_REMEDIATION_KIND, type AdvisoryProduct } from '@plimsoll/api-client'
import { REMEDIATION_WORDS } from '../../components/advisories/words.ts'
import { Button } from '../../components/button.tsx'
import css from './advisories.module.css'
import type { WrittenRemediation, WrittenVulnerability } from './draft-values.ts'
import { nameVersion, useVersionNames } from './named-versions.ts'

interface RemediationFieldsProps {
  remedy: WrittenRemediation
  place: number
  of: WrittenVulnerability
  products: readonly AdvisoryProduct[]
  faultOf: (member: string) => string | undefined
  onChange: (changed: WrittenRemediation) => void
  onRemove: () => void
}

const KINDS = ADVISORY_REMEDIATION_KIND.map((value) => ({ value, label: REMEDIATION_WORDS[value] }))

/** One remedy, and the versions whose users have it. */
export function RemediationFields(props: RemediationFieldsProps) {
  const { remedy, place, of, products, faultOf, onChange, onRemove } = props
  const names = useVersionNames(products)
  const name = `remedy ${place + 1} of ${of.vulnerabilityId}`
  const fault = (member: string) => ({
    error: faultOf(member),
    'aria-invalid': faultOf(member) !== undefined,
  })
  return (
    <fieldset className={css['remedy']}>
      <legend>
        Remedy {place + 1} of {of.vulnerabilityId}
      </legend>
      <div className={css['grid']}>
        <Select
          label="What it is"
          allowDeselect={false}
          data={KINDS}
          value={remedy.kind}
          onChange={(kind) => kind !== null && onChange({ ...remedy, kind })}
        />
        <MultiSelect
          label="For users of"
          searchable
          data={of.statuses.map(({ firmwareVersionId }) => ({
            value: firmwareVersionId,
            label: nameVersion(names, firmwareVersionId),
          }))}
          value={remedy.firmwareVersionIds}
          onChange={(firmwareVersionIds) => onChange({ ...remedy, firmwareVersionIds })}
          {...fault('firmwareVersionIds')}
        />
        <Textarea
          className={css['wide']}
          label="What to do"
          required
          autosize
          minRows={1}
          maxLength={10_000}
          value={remedy.details}
          onChange={({ currentTarget }) => onChange({ ...remedy, details: currentTarget.value })}
          {...fault('details')}
        />
        <TextInput
          className={css['wide']}
          label="Where it is, such as a download"
          description="Empty: no address"
          placeholder="https://"
          maxLength={2_048}
          value={remedy.url ?? ''}
          onChange={({ currentTarget }) => onChange({ ...remedy, url: currentTarget.value })}
          {...fault('url')}
        />
      </div>
      <Button size="small" kind="quiet" aria-label={`Remove ${name}`} onClick={onRemove}>
        Remove
      </Button>
    </fieldset>
  )
}
