/** A length of time as people write one: a whole number of a unit, so that it comes back as it was written. */
import { NumberInput } from '@mantine/core'
import { useState } from 'react'
import css from './deployments.module.css'
import { findUnit, type UnitSize, UNITS } from './words.ts'

interface DurationFieldProps {
  label: string
  /** Empty while nothing is written. */
  seconds: number | ''
  min?: number
  error?: string | undefined
  onChange: (seconds: number | '') => void
}

const MAX_SECONDS = 366 * 86_400

export function DurationField({ label, seconds, min = 1, error, onChange }: DurationFieldProps) {
  const [chosen, choose] = useState(() => findUnit(seconds))
  // Somebody else may have saved what is no whole number of the chosen unit.
  const unit = seconds !== '' && seconds % chosen > 0 ? findUnit(seconds) : chosen
  const amount = seconds === '' ? '' : seconds / unit
  const change = (next: number | '', size: UnitSize) => {
    choose(size)
    onChange(next === '' ? '' : next * size)
  }
  return (
    <NumberInput
      label={label}
      min={min}
      max={Math.floor(MAX_SECONDS / unit)}
      allowDecimal={false}
      value={amount}
      error={error}
      onChange={(text) => change(text === '' ? '' : Number(text), unit)}
      rightSectionWidth={84}
      rightSection={
        <select
          aria-label={`${label}: unit`}
          className={css['unit']}
          value={unit}
          onChange={({ currentTarget: { value } }) =>
            change(amount, UNITS.find(([size]) => size === Number(value))?.[0] ?? unit)
          }
        >
          {UNITS.map(([size, name]) => (
            <option key={size} value={size}>
              {name}s
            </option>
          ))}
        </select>
      }
    />
  )
}
