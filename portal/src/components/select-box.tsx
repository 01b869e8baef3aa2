import { IconCheck, IconMinus } from '@tabler/icons-react'
import css from './select-box.module.css'

export interface SelectBoxProps {
  /** What is selected with it, for those who do not see the row. */
  label: string
  isOn: boolean
  /** Some of what it stands for. */
  isSome?: boolean
  onToggle: (isRange: boolean) => void
}

/** A button and no input: keys of the list work while it has the focus. */
export function SelectBox({ label, isOn, isSome = false, onToggle }: SelectBoxProps) {
  const Sign = isSome ? IconMinus : IconCheck
  return (
    <button
      type="button"
      role="checkbox"
      aria-checked={isSome ? 'mixed' : isOn}
      aria-label={label}
      className={css['box']}
      onClick={(event) => {
        event.stopPropagation()
        onToggle(event.shiftKey)
      }}
    >
      <span>{(isOn || isSome) && <Sign size={12} stroke={3} aria-hidden="true" />}</span>
    </button>
  )
}
