import { IconX } from '@tabler/icons-react'
import type { ReactNode } from 'react'
import { formatCount } from '../format/counts.ts'
import css from './chip.module.css'

export interface ChipProps {
  isOn: boolean
  onChange: (isOn: boolean) => void
  /** How many rows the list has with it; left out while that is unknown. */
  count?: number | undefined
  children: ReactNode
  tone?: 'usual' | 'danger'
  /** Shows a cross: the chip goes when it is pressed. */
  isRemovable?: boolean
}

/** A filter that is on or off, with its count. */
export function Chip({
  isOn,
  onChange,
  count,
  children,
  tone = 'usual',
  isRemovable = false,
}: ChipProps) {
  return (
    <button
      type="button"
      className={`${css['chip']} ${isOn ? css['on'] : ''} ${css[tone]}`}
      aria-pressed={isOn}
      onClick={() => onChange(!isOn)}
    >
      {children}
      {count !== undefined && <span className={css['count']}>{formatCount(count)}</span>}
      {isRemovable && <IconX size={13} aria-label="remove" />}
    </button>
  )
}

export function ChipRow({ label, children }: { label: string; children: ReactNode }) {
  return (
    <div className={css['row']} role="group" aria-label={label}>
      {children}
    </div>
  )
}
