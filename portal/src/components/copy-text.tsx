import { useClipboard } from '@mantine/hooks'
import { IconCheck, IconCopy } from '@tabler/icons-react'
import { Button } from './button.tsx'

/** Copies a text that stands beside it. */
export function CopyText({ text, label }: { text: string; label: string }) {
  const { copy, copied } = useClipboard({ timeout: 1500 })
  const Icon = copied ? IconCheck : IconCopy
  return (
    <Button
      size="small"
      aria-label={copied ? `Copied ${label}` : `Copy ${label}`}
      onClick={() => copy(text)}
    >
      <Icon size={13} aria-hidden="true" /> {copied ? 'Copied' : 'Copy'}
    </Button>
  )
}
