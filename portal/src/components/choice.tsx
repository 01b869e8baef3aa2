import { IconSelector } from '@tabler/icons-react'
import css from './choice.module.css'

export interface ChoiceProps<Value extends string> {
  label: string
  options: readonly { value: Value; text: string }[]
  /** null: nothing is chosen; only with `none`. */
  value: Value | null
  onChange: (value: Value | null) => void
  /** What stands there while nothing is chosen, and takes a choice back. */
  none?: string
  className?: string | undefined
  /** Of the text beside it that says why it was refused. */
  faultId?: string | undefined
}

/** One of a few, by the browser's own list: for pages that are opened first, where a list of ours would weigh more than the page. */
export function Choice<Value extends string>(props: ChoiceProps<Value>) {
  const { label, options, value, onChange, none, className = '', faultId } = props
  const isUnknown = value !== null && options.every((one) => one.value !== value)
  return (
    <span className={`${css['choice']} ${className}`}>
      <select
        aria-label={label}
        aria-invalid={faultId !== undefined}
        aria-describedby={faultId}
        value={value ?? ''}
        className={value === null ? css['none'] : undefined}
        onChange={({ currentTarget }) =>
          onChange(options.find((one) => one.value === currentTarget.value)?.value ?? null)
        }
      >
        {none !== undefined && <option value="">{none}</option>}
        {isUnknown && <option value={value}>Not known</option>}
        {options.map((one) => (
          <option key={one.value} value={one.value}>
            {one.text}
          </option>
        ))}
      </select>
      <IconSelector size={14} aria-hidden="true" />
    </span>
  )
}
