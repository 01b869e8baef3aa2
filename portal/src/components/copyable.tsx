import { useClipboard } from '@mantine/hooks'
import { IconCheck, IconCopy, IconLink } from '@tabler/icons-react'
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

/** The address of this view, which a colleague opens as it is. */
export function CopyLink() {
  const { copy, copied } = useClipboard({ timeout: 1500 })
  return (
    <button
      type="button"
      className={css['copyable']}
      onClick={() => copy(globalThis.location.href)}
    >
      <IconLink size={13} aria-hidden="true" />
      {copied ? 'Link copied' : 'Copy link'}
    </button>
  )
}
