/** SBOMs by dropping or choosing files; several at once, each with its progress and its error. */
import { useQueryClient } from '@tanstack/react-query'
import { type DragEvent, type ReactNode, useRef, useState, useSyncExternalStore } from 'react'
import { Button } from '../../components/button.tsx'
import { formatBytes } from '../../format/counts.ts'
import { useWorkspaceId } from '../../session.ts'
import { listUploads, startUpload, type Upload, watchUploads } from './uploads.ts'
import css from './version-page.module.css'

function useUpload(versionId: string): (files: Iterable<File>) => void {
  const workspaceId = useWorkspaceId()
  const queryClient = useQueryClient()
  return (files) => {
    for (const file of files)
      startUpload({ workspaceId, versionId, file }, () => {
        void queryClient.invalidateQueries({ queryKey: ['sboms', workspaceId] })
        void queryClient.invalidateQueries({ queryKey: ['firmware', workspaceId] })
      })
  }
}

export function AddSbomButton({ versionId }: { versionId: string }) {
  const input = useRef<HTMLInputElement>(null)
  const upload = useUpload(versionId)
  return (
    <>
      <Button kind="primary" onClick={() => input.current?.click()}>
        Add SBOM
      </Button>
      <input
        ref={input}
        type="file"
        multiple
        hidden
        aria-label="SBOM files"
        onChange={(event) => {
          upload(event.currentTarget.files ?? [])
          event.currentTarget.value = ''
        }}
      />
    </>
  )
}

/** Takes files that are dropped anywhere on the page. */
export function DropZone({ versionId, children }: { versionId: string; children: ReactNode }) {
  const [isOver, setIsOver] = useState(false)
  const upload = useUpload(versionId)
  const hasFiles = (event: DragEvent) => event.dataTransfer.types.includes('Files')
  return (
    <div
      className={css['drop']}
      onDragOver={(event) => {
        if (!hasFiles(event)) return
        event.preventDefault()
        setIsOver(true)
      }}
      onDragLeave={(event) => {
        if (event.currentTarget === event.target) setIsOver(false)
      }}
      onDrop={(event) => {
        event.preventDefault()
        setIsOver(false)
        upload(event.dataTransfer.files)
      }}
    >
      {children}
      {isOver && <div className={css['over']}>Drop SBOMs for this version</div>}
    </div>
  )
}

/** The uploads of this visit; what has arrived is in the list of SBOMs. */
export function Uploads({ versionId }: { versionId: string }) {
  const uploads = useSyncExternalStore(watchUploads, listUploads).filter(
    (one) => one.versionId === versionId,
  )
  if (uploads.length === 0) return null
  return (
    <ul className={css['uploads']} aria-label="Uploads" aria-live="polite">
      {uploads.map((upload) => (
        <UploadRow key={upload.id} upload={upload} />
      ))}
    </ul>
  )
}

function UploadRow({ upload }: { upload: Upload }) {
  const { fileName, sizeBytes, sentBytes, state, fault } = upload
  return (
    <li>
      <code>{fileName}</code>
      <progress
        value={sentBytes}
        max={Math.max(sizeBytes, 1)}
        aria-label={`Upload of ${fileName}`}
      />
      {state === 'Failed' ? (
        <span className={css['fault']}>Not uploaded. {fault}</span>
      ) : (
        <span className={css['note']}>
          {state === 'Done' ? 'uploaded' : `${formatBytes(sentBytes)} of ${formatBytes(sizeBytes)}`}
        </span>
      )}
    </li>
  )
}
