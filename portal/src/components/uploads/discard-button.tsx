import { useMutation } from '@tanstack/react-query'
import { formatBytes } from '../../format/counts.ts'
import { ConfirmedButton } from '../confirm.tsx'

interface DiscardButtonProps {
  fileName: string
  receivedBytes: number
  totalBytes: number
  discard: () => Promise<unknown>
}

/** Ends an upload that is not complete, and deletes what has arrived of it. */
export function DiscardButton(props: DiscardButtonProps) {
  const { fileName, receivedBytes, totalBytes, discard } = props
  const act = useMutation({ mutationFn: discard })
  return (
    <ConfirmedButton
      size="small"
      label={`Discard the upload of ${fileName}`}
      title={`Discard the upload of ${fileName}?`}
      verb="Discard upload"
      act={act}
      what={
        <p>
          {formatBytes(receivedBytes)} of {formatBytes(totalBytes)} have arrived, and are deleted.
          The files of the version stay as they are.
        </p>
      }
    >
      Discard…
    </ConfirmedButton>
  )
}
