import { useClipboard } from '@mantine/hooks'
import { IconCheck, IconCopy } from '@tabler/icons-react'
import { Button } from './button.tsx'

/** Copies a text that stands beside it. */
export function CopyText({ text, label }: { text: string; label: string }) {
  const { copy, copied, error } = useClipboard({ timeout: 1500 })
  const Icon = copied ? IconCheck : IconCopy
  return (
    <>
      <Button
        size="small"
        aria-label={copied ? `Copied ${label}` : `Copy ${label}`}
        onClick={() => copy(text)}
      >
        <Icon size={13} aria-hidden="true" /> {copied ? 'Copied' : 'Copy'}
      </Button>
      {/* Browsers give no clipboard to pages without HTTPS. Who pastes something else into a form may not see it. */}
      {error && <span role="alert">Not copied: select the text and copy it yourself.</span>}
    </>
  )
}
