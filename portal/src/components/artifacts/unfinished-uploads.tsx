import type { UnfinishedUpload } from '@plimsoll/api-client'
import { useRef } from 'react'
import { formatBytes } from '../../format/counts.ts'
import { useWorkspaceId } from '../../session.ts'
import { Button } from '../button.tsx'
import { Time } from '../time.tsx'
import { DiscardButton } from '../uploads/discard-button.tsx'
import type { Upload } from '../uploads/uploads.ts'
import { describeRole } from './artifact-name.ts'
import { startArtifactUpload } from './artifact-upload.ts'
import css from './artifacts.module.css'
import { deleteUpload, type UploadPlace } from './part-sending.ts'
import { useReadArtifactsAgain } from './queries.ts'

interface UnfinishedUploadsProps {
  versionId: string
  unfinished: readonly UnfinishedUpload[]
  /** Those of this tab. */
  own: readonly Upload[]
}

/** Uploads that were interrupted, such as by a reload of the page: the service keeps what arrived for a day. */
export function UnfinishedUploads({ versionId, unfinished, own }: UnfinishedUploadsProps) {
  const isOwn = (one: UnfinishedUpload) =>
    own.some(({ target, state }) => target === describeRole(one) && state !== 'Done')
  const others = unfinished.filter((one) => !isOwn(one))
  if (others.length === 0) return null
  return (
    <div className={css['within']}>
      <ul className={css['unfinished']} aria-label="Unfinished uploads">
        {others.map((one) => (
          <Unfinished key={one.uploadId} versionId={versionId} upload={one} />
        ))}
      </ul>
    </div>
  )
}

function Unfinished({ versionId, upload }: { versionId: string; upload: UnfinishedUpload }) {
  const { role, baseVersionId, baseVersion, fileName, receivedBytes, totalBytes } = upload
  const { createdAt, createdByEmail, expiresAt } = upload
  const workspaceId = useWorkspaceId()
  const readAgain = useReadArtifactsAgain(versionId)
  const input = useRef<HTMLInputElement>(null)
  const place: UploadPlace = { workspaceId, versionId, role, baseVersionId, baseVersion }
  const goOn = (file: File) =>
    startArtifactUpload({ place, file, fileName, continued: upload }, () => void readAgain())
  return (
    <li>
      <div>
        <p className={css['name']}>
          <strong>{describeRole(upload)}</strong> <code>{fileName}</code>
        </p>
        <p className={css['note']}>
          {formatBytes(receivedBytes)} of {formatBytes(totalBytes)} arrived, begun{' '}
          <Time at={createdAt} /> by {createdByEmail ?? 'a key'}, kept until{' '}
          <Time at={expiresAt} as="dateTime" />. To go on, choose the same file again.
        </p>
      </div>
      <div className={css['acts']}>
        <Button
          size="small"
          aria-label={`Choose file and go on: ${fileName}`}
          onClick={() => input.current?.click()}
        >
          Choose file and go on
        </Button>
        <input
          ref={input}
          type="file"
          hidden
          aria-label={`${fileName}, to go on`}
          onChange={({ currentTarget }) => {
            const [file] = currentTarget.files ?? []
            currentTarget.value = ''
            if (file) goOn(file)
          }}
        />
        <DiscardButton
          {...{ fileName, receivedBytes, totalBytes }}
          discard={async () => {
            await deleteUpload(place, ({ uploadId }) => uploadId === upload.uploadId)
            await readAgain()
          }}
        />
      </div>
    </li>
  )
}
