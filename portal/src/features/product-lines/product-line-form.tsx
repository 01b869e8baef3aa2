/** What a report asks of a product and no SBOM knows. All but two fields may stay empty: unknown is said as unknown. */
import { Autocomplete, MultiSelect, NumberInput, Select, Textarea, TextInput } from '@mantine/core'
import type { ProductLine, Reference, WithEntityTag } from '@plimsoll/api-client'
import { PRODUCT_CLASS, PRODUCT_LINE_ROLE } from '@plimsoll/api-client'
import { useQueryClient } from '@tanstack/react-query'
import { useCallback } from 'react'
import { api } from '../../api.ts'
import { Button } from '../../components/button.tsx'
import { ChangeFault } from '../../components/change-fault.tsx'
import { Law } from '../../components/cases/law-mark.tsx'
import { MEMBER_STATE_OPTIONS } from '../../components/cases/member-states.ts'
import { CLASS_WORDS, ROLE_WORDS } from '../../components/cases/product-line-words.ts'
import { Form, FormActs } from '../../components/form.tsx'
import { pickChanges } from '../../components/merged-values.ts'
import { Panel } from '../../components/panel.tsx'
import { useChangeForm } from '../../components/use-change-form.ts'
import type { FormOf } from '../../components/use-form.ts'
import { useMay, useWorkspaceId } from '../../session.ts'
import { beginLine, type LineValues, readLine, writeLine } from './line-values.ts'
import css from './product-lines.module.css'

const NAMES = {
  productClass: 'class',
  memberStates: 'Member States',
  coordinatorState: 'Member State of the coordinator',
  firmwareIds: 'firmware',
  supportEndsIn: 'end of support',
  expectedUseYears: 'years of expected use',
  expectedUseReason: 'why so long',
}

interface ProductLineFormProps {
  /** undefined: a new one. */
  line: WithEntityTag<ProductLine> | undefined
  /** Those of the line, and those of no line. */
  firmwares: readonly Reference[]
  /** What a new line is made of. */
  first: Reference | undefined
  knownManufacturers: readonly string[]
  onSaved: () => Promise<void>
  onLeave: () => void
}

const LINES = '/workspaces/{workspaceId}/product-lines'
const LINE = `${LINES}/{productLineId}` as const

export function ProductLineForm(props: ProductLineFormProps) {
  const { line, firmwares, first, knownManufacturers, onSaved, onLeave } = props
  const workspaceId = useWorkspaceId()
  const mayWrite = useMay('Cases: write')
  const queryClient = useQueryClient()
  const params = { workspaceId, productLineId: line?.id ?? '' }
  // The same function at each call.
  const readValues = useCallback(
    (known: ProductLine | undefined) => (known ? readLine(known) : beginLine(first)),
    [first],
  )
  const form = useChangeForm({
    latest: line,
    audited: { subject: `product-line:${params.productLineId}` },
    readValues,
    load: () => api.get(LINE, { params }),
    send: (values, ifStill, before): Promise<ProductLine> => {
      const body = writeLine(values)
      if (!ifStill) return api.post(LINES, { params: { workspaceId }, body })
      return api.patch(LINE, { params, body: pickChanges(writeLine(before), body), ifStill })
    },
    onSuccess: async () => {
      await queryClient.invalidateQueries({ queryKey: ['cases', workspaceId] })
      await onSaved()
    },
  })
  const { save, field } = form
  return (
    <Form onSubmit={() => mayWrite && form.submit()} label={line ? line.name : 'New product line'}>
      <Panel title="What it is">
        <div className={css['grid']}>
          <TextInput label="Name" description="As it is sold" required {...field('name')} />
          <Autocomplete
            label="Manufacturer"
            description="Under whose name it is sold. A case is about lines of one manufacturer"
            required
            data={[...knownManufacturers]}
            {...field('manufacturer')}
          />
          <Select
            label="Role"
            allowDeselect={false}
            data={PRODUCT_LINE_ROLE.map((value) => ({ value, label: ROLE_WORDS[value] }))}
            {...field('role')}
          />
          <MultiSelect
            className={css['wide']}
            label="Firmware"
            searchable
            description="Firmware of other lines is not offered: each is in one line at most"
            data={firmwares.map(({ id, name }) => ({ value: id, label: name }))}
            {...field('firmwareIds')}
          />
        </div>
      </Panel>
      <MarketPanel {...form} />
      <SupportPanel {...form} />
      {!mayWrite && (
        <p className={css['note']}>Your role may read product lines, not change them.</p>
      )}
      <ChangeFault error={save.error} meanwhile={form.meanwhile} names={NAMES} />
      <FormActs>
        <Button onClick={onLeave}>Go back</Button>
        <Button type="submit" kind="primary" disabled={!mayWrite} isBusy={save.isPending}>
          {line ? 'Save product line' : 'Create product line'}
        </Button>
      </FormActs>
    </Form>
  )
}

type PanelProps = FormOf<LineValues>

const UNSAID = 'Empty: nobody has said'

function MarketPanel({ field, values }: PanelProps) {
  return (
    <Panel title="On the market" aside={<Law article="14(2)(a), 14(4)(a), 14(7)" />}>
      <div className={css['grid']}>
        <MultiSelect
          className={css['wide']}
          label="Member States where it was made available"
          description="As far as you know. Devices only hint: where they are is another question"
          placeholder={values.memberStates.length === 0 ? UNSAID : undefined}
          searchable
          clearable
          data={MEMBER_STATE_OPTIONS}
          {...field('memberStates')}
        />
        <Select
          label="Member State of the coordinator"
          description="Whose CSIRT takes the reports"
          placeholder={UNSAID}
          searchable
          clearable
          data={MEMBER_STATE_OPTIONS}
          {...field('coordinatorState')}
        />
        <TextInput
          label="Time zone of the manufacturer"
          description="As in Europe/Berlin. Months end here or in UTC, whichever is earlier"
          required
          {...field('timeZone')}
        />
        <TextInput
          type="date"
          label="First placed on the market"
          description={UNSAID}
          {...field('firstPlacedOn')}
        />
        <Select
          label="Class"
          description="Of the product, by its core function"
          allowDeselect={false}
          data={PRODUCT_CLASS.map((value) => ({ value, label: CLASS_WORDS[value] }))}
          {...field('productClass')}
        />
        <TextInput
          label="Category"
          description="Of Annex III or IV, as the platform asks for it"
          placeholder={UNSAID}
          maxLength={255}
          {...field('category')}
        />
        <TextInput
          label="Contact"
          description="Who answers for the line"
          placeholder={UNSAID}
          maxLength={1000}
          {...field('contact')}
        />
      </div>
    </Panel>
  )
}

function SupportPanel({ field }: PanelProps) {
  return (
    <Panel title="Support period" aside={<Law article="13(8)" />}>
      <div className={css['grid']}>
        <TextInput
          label="Month in which support ends"
          description="As in 2031-12. Reports are due after it, too"
          placeholder={UNSAID}
          {...field('supportEndsIn')}
        />
        <NumberInput
          label="Years of expected use"
          description="Five years of support are a floor, not the rule"
          placeholder={UNSAID}
          min={0}
          max={100}
          allowDecimal={false}
          {...field('expectedUseYears')}
        />
        <Textarea
          className={css['wide']}
          label="Why so long"
          placeholder={UNSAID}
          autosize
          minRows={2}
          maxLength={4000}
          {...field('expectedUseReason')}
        />
      </div>
    </Panel>
  )
}
