import { useSyncExternalStore } from 'react'
import { formatBytes } from '../../format/counts.ts'
import { Button } from '../button.tsx'
import { DiscardButton } from './discard-button.tsx'
import { listUploads, type Upload, watchUploads } from './uploads.ts'
import css from './uploads.module.css'

export function useUploads(versionId: string, kind: Upload['kind']): readonly Upload[] {
  const uploads = useSyncExternalStore(watchUploads, listUploads)
  return uploads.filter((one) => one.versionId === versionId && one.kind === kind)
}

/** The uploads of this visit; what has arrived is in the list of the page. */
export function UploadRows({ uploads }: { uploads: readonly Upload[] }) {
  if (uploads.length === 0) return null
  return (
    <ul className={css['uploads']} aria-label="Uploads">
      {uploads.map((upload) => (
        <UploadRow key={upload.id} upload={upload} />
      ))}
    </ul>
  )
}

function UploadRow({ upload }: { upload: Upload }) {
  const { fileName, target, sizeBytes, doneBytes, state } = upload
  const isMoving = state === 'Reading' || state === 'Sending'
  // Bytes that are counted on are not read out.
  const role = state === 'Failed' ? 'alert' : isMoving ? undefined : 'status'
  return (
    <li>
      <span className={css['name']}>
        {target !== undefined && <strong>{target}</strong>} <code>{fileName}</code>
      </span>
      <progress
        value={state === 'Done' ? sizeBytes : doneBytes}
        max={Math.max(sizeBytes, 1)}
        aria-label={`Upload of ${fileName}`}
      />
      <span className={state === 'Failed' ? css['fault'] : css['note']} {...(role && { role })}>
        {describeUpload(upload)}
      </span>
      <Controls upload={upload} />
    </li>
  )
}

function describeUpload({ state, doneBytes, sizeBytes, fault = '' }: Upload): string {
  const done = `${formatBytes(doneBytes)} of ${formatBytes(sizeBytes)}`
  switch (state) {
    case 'Reading':
      return `Reading the file: ${done}`
    case 'Sending':
      return done
    case 'Waiting':
      return `${fault} ${done} arrived.`
    case 'Paused':
      return `Paused: ${done}`
    case 'Done':
      return 'uploaded'
    case 'Failed':
      return `Not uploaded. ${fault}`
  }
}

function Controls({ upload }: { upload: Upload }) {
  const { fileName, sizeBytes, doneBytes, state, control } = upload
  if (!control || state === 'Done') return <span />
  const isPausable = state === 'Reading' || state === 'Sending' || state === 'Waiting'
  return (
    <span className={css['controls']}>
      {isPausable ? (
        <Button size="small" aria-label={`Pause the upload of ${fileName}`} onClick={control.pause}>
          Pause
        </Button>
      ) : (
        <Button
          size="small"
          aria-label={`Go on with the upload of ${fileName}`}
          onClick={control.goOn}
        >
          {state === 'Failed' ? 'Try again' : 'Go on'}
        </Button>
      )}
      <DiscardButton
        fileName={fileName}
        receivedBytes={state === 'Reading' ? 0 : doneBytes}
        totalBytes={sizeBytes}
        discard={control.discard}
      />
    </span>
  )
}
