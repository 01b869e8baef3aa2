/** Asks for the fields of an act on a case and sends it. It says before what it does, as nothing of a case is ever deleted. */
import { Checkbox, MultiSelect, Textarea, TextInput } from '@mantine/core'
import { useState } from 'react'
import { Button } from '../../components/button.tsx'
import { Dialog, GoBack } from '../../components/dialog.tsx'
import { useFormAct } from '../../components/form-act.ts'
import { Form, FormActs, FormFault } from '../../components/form.tsx'
import { usePerform } from '../../components/perform.ts'
import { useReturnedFocus } from '../../components/return-focus.ts'
import { formatUtc } from '../../format/dates.ts'
import type { ActField, ActValues, CaseAct } from './act.ts'
import css from './cases.module.css'

interface ActDialogProps {
  act: CaseAct
  onClose: () => void
  onDone?: () => void
}

export function ActDialog({ act, onClose, onDone }: ActDialogProps) {
  useReturnedFocus()
  return (
    <Dialog opened onClose={onClose} title={act.title} size="lg">
      <ActForm
        act={act}
        onDone={() => {
          onClose()
          onDone?.()
        }}
      />
    </Dialog>
  )
}

function ActForm({ act, onDone }: { act: CaseAct; onDone: () => void }) {
  const perform = usePerform('cases')
  const sending = useFormAct(onDone)
  const [values, setValues] = useState<ActValues>(() =>
    Object.fromEntries(act.fields.map(({ name, first = '' }) => [name, first])),
  )
  const isReady = act.fields.every((field) => isFilled(field, values[field.name] ?? '', values))
  const submit = () =>
    sending.send((form) =>
      perform({
        text: act.told,
        form,
        send: async () => {
          await act.send(values)
          return undefined
        },
      }),
    )
  return (
    <Form onSubmit={() => isReady && !sending.isPending && submit()} label={act.title}>
      <p className={css['what']}>{act.what}</p>
      {act.fields.map((field, index) => (
        <Field
          key={field.name}
          field={field}
          value={values[field.name] ?? ''}
          fault={sending.findFault(field.name)}
          isFirst={index === 0}
          onChange={(value) => setValues((old) => ({ ...old, [field.name]: value }))}
        />
      ))}
      <FormFault error={sending.error} said="Not recorded." />
      <FormActs>
        <GoBack />
        <Button
          type="submit"
          kind={act.isEnding === true ? 'danger' : 'primary'}
          disabled={!isReady}
          isBusy={sending.isPending}
        >
          {act.verb}
        </Button>
      </FormActs>
    </Form>
  )
}

function isFilled({ kind, isRequired }: ActField, value: string, values: ActValues): boolean {
  // What is withdrawn needs no right instant.
  if (kind === 'instant')
    return values['isWithdrawn'] === 'yes' || !Number.isNaN(new Date(value).getTime())
  return isRequired !== true || value.trim() !== ''
}

interface FieldProps {
  field: ActField
  value: string
  fault: string | undefined
  isFirst: boolean
  onChange: (value: string) => void
}

function Field({ field, value, fault, isFirst, onChange }: FieldProps) {
  const { label, kind, description, isRequired = false, most, options = [] } = field
  const shared = {
    label,
    description,
    error: fault,
    'aria-invalid': fault !== undefined,
    required: isRequired,
    ...(isFirst && { 'data-autofocus': true }),
    ...(most !== undefined && { maxLength: most }),
  }
  switch (kind) {
    case 'instant':
      return (
        <TextInput
          {...shared}
          type="datetime-local"
          description={describeInstant(value, description)}
          value={value}
          onChange={({ currentTarget }) => onChange(currentTarget.value)}
        />
      )
    case 'text':
      return (
        <Textarea
          {...shared}
          autosize
          minRows={2}
          maxRows={16}
          value={value}
          onChange={({ currentTarget }) => onChange(currentTarget.value)}
        />
      )
    case 'line':
      return (
        <TextInput
          {...shared}
          value={value}
          onChange={({ currentTarget }) => onChange(currentTarget.value)}
        />
      )
    case 'choice':
      return <Choices {...{ label, options, value, onChange }} />
    case 'check':
      return (
        <Checkbox
          label={label}
          checked={value === 'yes'}
          onChange={({ currentTarget }) => onChange(currentTarget.checked ? 'yes' : '')}
        />
      )
    case 'many':
      return (
        <MultiSelect
          {...shared}
          searchable
          data={[...options]}
          value={value === '' ? [] : value.split(' ')}
          onChange={(ids) => onChange(ids.join(' '))}
        />
      )
  }
}

interface ChoicesProps {
  label: string
  options: readonly { value: string; label: string }[]
  value: string
  onChange: (value: string) => void
}

function Choices({ label, options, value, onChange }: ChoicesProps) {
  return (
    <fieldset className={css['choices']}>
      <legend>{label}</legend>
      {options.map((option) => (
        <label key={option.value}>
          <input
            type="radio"
            name={label}
            value={option.value}
            checked={value === option.value}
            onChange={() => onChange(option.value)}
          />{' '}
          {option.label}
        </label>
      ))}
    </fieldset>
  )
}

/** What is typed is in the zone of the reader: the same in UTC leaves no doubt. */
function describeInstant(value: string, description = ''): string {
  const at = new Date(value)
  const { timeZone } = Intl.DateTimeFormat().resolvedOptions()
  const same = Number.isNaN(at.getTime()) ? 'no instant yet' : `this is ${formatUtc(at)}`
  return [description, `In your zone, ${timeZone}: ${same}`]
    .filter((text) => text !== '')
    .join('. ')
}
