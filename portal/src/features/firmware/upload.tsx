/** SBOMs by dropping or choosing files; several at once, each with its progress and its error. */
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { type DragEvent, lazy, type ReactNode, Suspense, useRef, useState } from 'react'
import { Button } from '../../components/button.tsx'
import { useWorkspaceId } from '../../session.ts'
import { sbomsQuery } from '../../workspace-queries.ts'
import type { Replacement } from './queries.ts'
import { startUpload } from './sbom-upload.ts'
import css from './version-page.module.css'

// It comes when it is asked for, with the fields of a form.
const UploadDialog = lazy(() => import('./upload-dialog.tsx'))

/** Takes files, and asks first where the version has SBOMs already. */
function useUpload(versionId: string) {
  const workspaceId = useWorkspaceId()
  const queryClient = useQueryClient()
  const { data } = useQuery(sbomsQuery(workspaceId, versionId))
  const [asked, setAsked] = useState<readonly File[]>([])
  const send = (files: readonly File[], replace?: Replacement) => {
    const uploads = replace === 'all' ? [files] : files.map((file) => [file])
    for (const one of uploads)
      startUpload({ workspaceId, versionId, files: one, replace }, () => {
        void queryClient.invalidateQueries({ queryKey: ['sboms', workspaceId] })
        void queryClient.invalidateQueries({ queryKey: ['firmware', workspaceId] })
      })
    setAsked([])
  }
  const take = (list: FileList | null) => {
    const files = [...(list ?? [])]
    if (data?.sboms.length === 0) send(files)
    else setAsked(files)
  }
  const dialog = asked.length > 0 && (
    <Suspense>
      <UploadDialog
        versionId={versionId}
        files={asked}
        sbomCount={data?.sboms.length}
        onUpload={(replace) => send(asked, replace)}
        onClose={() => setAsked([])}
      />
    </Suspense>
  )
  return { take, dialog }
}

export function AddSbomButton({
  versionId,
  isPrimary,
}: {
  versionId: string
  /** Nothing can be said of the version before it has one. */
  isPrimary: boolean
}) {
  const input = useRef<HTMLInputElement>(null)
  const { take, dialog } = useUpload(versionId)
  return (
    <>
      <Button kind={isPrimary ? 'primary' : 'plain'} onClick={() => input.current?.click()}>
        Add SBOM
      </Button>
      <input
        ref={input}
        type="file"
        multiple
        hidden
        aria-label="SBOM files"
        onChange={(event) => {
          take(event.currentTarget.files)
          event.currentTarget.value = ''
        }}
      />
      {dialog}
    </>
  )
}

/** Takes files that are dropped anywhere on the page. */
export function DropZone({ versionId, children }: { versionId: string; children: ReactNode }) {
  const [isOver, setIsOver] = useState(false)
  const { take, dialog } = useUpload(versionId)
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
        take(event.dataTransfer.files)
      }}
    >
      {children}
      {dialog}
      {isOver && <div className={css['over']}>Drop SBOMs for this version</div>}
    </div>
  )
}
