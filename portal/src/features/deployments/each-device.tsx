/** What holds for each device of a roll-out: how long it may take, how often it may try, in which hours, and who is asked. */
import { Checkbox, NumberInput, TextInput } from '@mantine/core'
import { useState } from 'react'
import type { FormOf } from '../../components/use-form.ts'
import { Choice } from '../../components/choice.tsx'
import { formatCountOf } from '../../format/counts.ts'
import css from './deployments.module.css'
import { DurationField } from './duration-field.tsx'
import type { EachDevicePlan } from './plan.ts'
import { formatDuration } from './words.ts'

type EachDeviceForm = Pick<FormOf<EachDevicePlan>, 'values' | 'change' | 'findFault'>

/** Closed it says what holds; it opens by itself where the service refuses a field of it. */
export function EachDevice({ values, change, findFault }: EachDeviceForm) {
  const [isOpen, setOpen] = useState(false)
  const isRefused = FIELDS.some((name) => findFault(name) !== undefined)
  const { maintenanceWindow: hours } = values
  return (
    <details
      className={css['each']}
      open={isOpen || isRefused}
      onToggle={({ currentTarget }) => setOpen(currentTarget.open)}
    >
      <summary>On each device: {describeEachDevice(values)}</summary>
      <div className={css['phase']}>
        <DurationField
          label="Begins within"
          seconds={values.startDeadlineSeconds}
          error={findFault('startDeadlineSeconds')}
          onChange={(startDeadlineSeconds) => change({ startDeadlineSeconds })}
        />
        <DurationField
          label="Then done within"
          seconds={values.deviceDeadlineSeconds}
          error={findFault('deviceDeadlineSeconds')}
          onChange={(deviceDeadlineSeconds) => change({ deviceDeadlineSeconds })}
        />
        <NumberInput
          label="Tries so many times"
          min={1}
          max={10}
          allowDecimal={false}
          value={values.maxAttempts}
          error={findFault('maxAttempts')}
          onChange={(text) => change({ maxAttempts: text === '' ? '' : Number(text) })}
        />
      </div>
      <Checkbox
        label="Begins in certain hours of the day only"
        checked={hours !== null}
        error={findFault('maintenanceWindow')}
        onChange={({ currentTarget }) =>
          change({ maintenanceWindow: currentTarget.checked ? beginWindow() : null })
        }
      />
      {hours && (
        <Hours hours={hours} onChange={(maintenanceWindow) => change({ maintenanceWindow })} />
      )}
      <Checkbox
        label="Asks its user first"
        description="hawkBit clients alone; all others begin unasked."
        checked={values.confirmationRequired}
        onChange={({ currentTarget }) => change({ confirmationRequired: currentTarget.checked })}
      />
      <Checkbox
        label="Installs at once"
        description="hawkBit clients alone: without this, each chooses the time itself."
        checked={values.forced}
        onChange={({ currentTarget }) => change({ forced: currentTarget.checked })}
      />
    </details>
  )
}

const FIELDS = [
  'startDeadlineSeconds',
  'deviceDeadlineSeconds',
  'maxAttempts',
  'maintenanceWindow',
] as const

type Window = NonNullable<EachDevicePlan['maintenanceWindow']>

function Hours({ hours, onChange }: { hours: Window; onChange: (hours: Window) => void }) {
  const offsets = [...new Set([...OFFSETS, hours.utcOffset])]
  return (
    <div className={css['row']}>
      <TextInput
        type="time"
        label="From"
        required
        value={hours.from}
        onChange={(event) => onChange({ ...hours, from: event.currentTarget.value })}
      />
      <TextInput
        type="time"
        label="Until"
        required
        value={hours.until}
        onChange={(event) => onChange({ ...hours, until: event.currentTarget.value })}
      />
      <Choice
        label="In which time"
        options={offsets.map((value) => ({ value, text: nameOffset(value) }))}
        value={hours.utcOffset}
        onChange={(utcOffset) => onChange({ ...hours, utcOffset: utcOffset ?? hours.utcOffset })}
      />
    </div>
  )
}

const formatOffset = (minutes: number): string => {
  const [hours, rest] = [Math.floor(Math.abs(minutes) / 60), Math.abs(minutes) % 60]
  return `${minutes < 0 ? '-' : '+'}${[hours, rest].map((part) => String(part).padStart(2, '0')).join(':')}`
}

const OWN_OFFSET = formatOffset(-new Date().getTimezoneOffset())

/** Those that zones of today have; others that were saved stay. */
const OFFSETS = [
  -12, -11, -10, -9.5, -9, -8, -7, -6, -5, -4, -3.5, -3, -2, -1, 0, 1, 2, 3, 3.5, 4, 4.5, 5, 5.5,
  5.75, 6, 6.5, 7, 8, 8.75, 9, 9.5, 10, 10.5, 11, 12, 12.75, 13, 14,
].map((hours) => formatOffset(hours * 60))

const nameOffset = (offset: string): string =>
  `UTC${offset}${offset === OWN_OFFSET ? ' (yours now)' : ''}`

const beginWindow = (): Window => ({ from: '02:00', until: '04:00', utcOffset: OWN_OFFSET })

/** "begins within 90 days, then done within 1 day, 1 attempt". */
function describeEachDevice(plan: EachDevicePlan): string {
  const { maintenanceWindow: hours } = plan
  return [
    `begins within ${formatLimit(plan.startDeadlineSeconds)}`,
    hours && `from ${hours.from} to ${hours.until} (UTC${hours.utcOffset})`,
    `then done within ${formatLimit(plan.deviceDeadlineSeconds)}`,
    formatCountOf(Number(plan.maxAttempts), 'attempt'),
    plan.confirmationRequired && 'asks its user first',
    !plan.forced && 'chooses the time itself',
  ]
    .filter(Boolean)
    .join(', ')
}

const formatLimit = (seconds: number | '') => (seconds === '' ? '…' : formatDuration(seconds))
