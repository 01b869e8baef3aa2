/** How long nobody is told, of what, and why. */
import type { AlertSilence } from '@plimsoll/api-client'
import { SegmentedControl, TextInput } from '@mantine/core'
import type { Ref } from 'react'
import { formatForField, formatInstant } from '../../format/dates.ts'

export const HOUR = 3_600_000
const MORNING = 7

/** Its field, for who comes from elsewhere on the page. */
export const SILENCE_REASON = 'silence-reason'

export type NewSilence = Pick<AlertSilence, 'until' | 'reason' | 'covers'>

type Length = '1h' | '4h' | 'morning' | 'other'

export interface SilenceValues {
  length: Length
  /** As a field has it: `YYYY-MM-DDTHH:MM` in the reader's zone. */
  until: string
  covers: AlertSilence['covers']
  reason: string
}

export const beginSilence = (): SilenceValues => ({
  length: '1h',
  until: formatForField(new Date(Date.now() + 24 * HOUR)),
  covers: 'Series',
  reason: '',
})

/** Its end is reckoned from the moment at which it is sent. */
export const readSilence = ({ length, until, covers, reason }: SilenceValues): NewSilence => ({
  until: chooseEnd(length, until).toISOString(),
  reason,
  covers,
})

export function describeSilence({ length, until, reason }: SilenceValues) {
  const end = chooseEnd(length, until)
  return {
    isWhole: end > new Date() && reason.trim() !== '',
    untilText: Number.isNaN(end.getTime()) ? '…' : formatInstant(end),
  }
}

interface SilenceFieldsProps {
  values: SilenceValues
  change: (changes: Partial<SilenceValues>) => void
  findFault?: (name: keyof SilenceValues) => string | undefined
  reasonField?: Ref<HTMLInputElement>
}

export function SilenceFields({ values, change, findFault, reasonField }: SilenceFieldsProps) {
  const { length, until, covers, reason } = values
  return (
    <>
      <SegmentedControl
        aria-label="How long"
        fullWidth
        size="xs"
        value={length}
        data={[
          { value: '1h', label: '1 h' },
          { value: '4h', label: '4 h' },
          { value: 'morning', label: 'until 07:00' },
          { value: 'other', label: 'until…' },
        ]}
        onChange={(next) => change({ length: next })}
      />
      {length === 'other' && (
        <TextInput
          type="datetime-local"
          label="Until"
          value={until}
          error={findFault?.('until')}
          onChange={(event) => change({ until: event.currentTarget.value })}
        />
      )}
      <SegmentedControl
        aria-label="What"
        fullWidth
        size="xs"
        value={covers}
        data={[
          { value: 'Series', label: 'What fired in it' },
          { value: 'Rule', label: 'All of the rule' },
        ]}
        onChange={(next) => change({ covers: next })}
      />
      <TextInput
        ref={reasonField}
        id={SILENCE_REASON}
        aria-label="Reason"
        placeholder="Reason, shown with the silence"
        maxLength={1_000}
        value={reason}
        error={findFault?.('reason')}
        onChange={(event) => change({ reason: event.currentTarget.value })}
      />
    </>
  )
}

function chooseEnd(length: Length, other: string): Date {
  const now = Date.now()
  switch (length) {
    case '1h':
      return new Date(now + HOUR)
    case '4h':
      return new Date(now + 4 * HOUR)
    case 'morning': {
      const morning = new Date(now)
      morning.setHours(MORNING, 0, 0, 0)
      if (morning.getTime() <= now) morning.setDate(morning.getDate() + 1)
      return morning
    }
    case 'other':
      return new Date(other)
  }
}
