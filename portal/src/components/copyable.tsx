import { useClipboard } from '@mantine/hooks'
import { IconCheck, IconCopy } from '@tabler/icons-react'
import css from './copyable.module.css'

/** An id, version or identifier that a click copies. */
export function Copyable({ text, label }: { text: string; label: string }) {
  const { copy, copied } = useClipboard({ timeout: 1500 })
  const Icon = copied ? IconCheck : IconCopy
  return (
    <button
      type="button"
      className={css['copyable']}
      aria-label={copied ? `${label} ${text}: copied` : `Copy ${label} ${text}`}
      onClick={() => copy(text)}
    >
      <code>{text}</code>
      <Icon size={13} aria-hidden="true" />
    </button>
  )
}
