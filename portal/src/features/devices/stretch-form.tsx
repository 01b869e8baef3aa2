import { TextInput } from '@mantine/core'
import { type SyntheticEvent, useState } from 'react'
import { Button } from '../../components/button.tsx'
import type { TimeWindow } from '../../components/chart/time-window.ts'
import { formatForField } from '../../format/dates.ts'
import css from './devices.module.css'

interface StretchFormProps {
  window: TimeWindow
  onShow: (stretch: { from: Date; to: Date }) => void
}

/** The time as two instants of the reader's zone. */
export function StretchForm({ window, onShow }: StretchFormProps) {
  const [from, setFrom] = useState(() => formatForField(window.from))
  const [to, setTo] = useState(() => formatForField(window.to))
  const stretch = { from: new Date(from), to: new Date(to) }
  const isValid = stretch.from < stretch.to
  const show = (event: SyntheticEvent) => {
    event.preventDefault()
    if (isValid) onShow(stretch)
  }
  return (
    <form className={css['stretch']} aria-label="From and to" data-kept onSubmit={show}>
      <TextInput
        type="datetime-local"
        size="xs"
        aria-label="From"
        value={from}
        onChange={(event) => setFrom(event.currentTarget.value)}
      />
      <span aria-hidden="true">–</span>
      <TextInput
        type="datetime-local"
        size="xs"
        aria-label="To"
        value={to}
        onChange={(event) => setTo(event.currentTarget.value)}
      />
      <Button type="submit" size="small" disabled={!isValid}>
        Show
      </Button>
    </form>
  )
}
