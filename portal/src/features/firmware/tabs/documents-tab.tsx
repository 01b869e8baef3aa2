/** What others can be told about this version, and what others said about it. */
import type { VexDocument } from '@plimsoll/api-client'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { lazy, Suspense, useRef, useState } from 'react'
import { api } from '../../../api.ts'
import { Button } from '../../../components/button.tsx'
import { ConfirmedButton } from '../../../components/confirm.tsx'
import { ListPanel } from '../../../components/list-panel.tsx'
import { Panel } from '../../../components/panel.tsx'
import { Time } from '../../../components/time.tsx'
import { formatCountOf } from '../../../format/counts.ts'
import { describeVexFormat } from '../../../format/vex-formats.ts'
import { useMay, useWorkspaceId } from '../../../session.ts'
import { findVersionFiles, isStatement, NOTHING_STATED, VERSION_FILES } from '../exports.ts'
import { vexDocumentsQuery } from '../queries.ts'
import own from './compare-tab.module.css'

const ImportVex = lazy(() => import('./import-vex.tsx'))

export default function DocumentsTab({ versionId }: { versionId: string }) {
  const workspaceId = useWorkspaceId()
  const base = findVersionFiles(workspaceId, versionId)
  const { data } = useQuery(vexDocumentsQuery(workspaceId, versionId))
  const isSilent = (path: string) => isStatement(path) && data?.exportable === false
  return (
    <>
      <Panel title="For others" isFlush>
        <ul className={own['list']}>
          {VERSION_FILES.flatMap(({ files }) => files).map(({ path, name, use }) => (
            <li key={path}>
              {isSilent(path) ? (
                <Button size="small" disabled aria-describedby={`${path}-why`}>
                  {name}
                </Button>
              ) : (
                <a href={`${base}/${path}`} download>
                  {name}
                </a>
              )}
              <span />
              <span id={`${path}-why`}>{isSilent(path) ? NOTHING_STATED : use}</span>
            </li>
          ))}
        </ul>
      </Panel>
      <VexDocuments versionId={versionId} />
    </>
  )
}

function VexDocuments({ versionId }: { versionId: string }) {
  const workspaceId = useWorkspaceId()
  const mayWrite = useMay('Vulnerabilities: write')
  const query = useQuery(vexDocumentsQuery(workspaceId, versionId))
  return (
    <ListPanel
      query={query}
      rows={query.data?.documents}
      loadingRows={2}
      title="VEX documents of others"
      aside={mayWrite && <ChooseVex versionId={versionId} />}
      empty={
        <p className={own['none']}>
          None yet. A supplier’s VEX document decides findings as far as nobody here did.
        </p>
      }
    >
      {(documents) => (
        <ul className={own['list']}>
          {documents.map((document) => (
            <DocumentRow key={document.id} document={document} mayDelete={mayWrite} />
          ))}
        </ul>
      )}
    </ListPanel>
  )
}

function DocumentRow({ document, mayDelete }: { document: VexDocument; mayDelete: boolean }) {
  const { author, format, documentId, statementCount, receivedAt, sbomId } = document
  return (
    <li>
      <strong>{author ?? describeVexFormat(format)}</strong>
      <span>{formatCountOf(statementCount, 'statement')}</span>
      <span title={documentId ?? undefined}>
        {sbomId === null ? documentId : 'part of an SBOM'}
      </span>
      <Time at={receivedAt} as="date" />
      {mayDelete && sbomId === null && <DeleteButton document={document} />}
    </li>
  )
}

function DeleteButton({ document }: { document: VexDocument }) {
  const workspaceId = useWorkspaceId()
  const queryClient = useQueryClient()
  const remove = useMutation({
    mutationFn: () =>
      api.delete('/workspaces/{workspaceId}/vex-documents/{documentId}', {
        params: { workspaceId, documentId: document.id },
      }),
    onSuccess: () => queryClient.invalidateQueries({ queryKey: ['vex', workspaceId] }),
  })
  const name = document.author ?? describeVexFormat(document.format)
  return (
    <ConfirmedButton
      size="small"
      label={`Delete the document of ${name}`}
      title={`Delete the document of ${name}?`}
      verb="Delete document"
      act={remove}
      what="What it decided stays decided. Its statements no longer apply to findings that begin later."
    >
      Delete…
    </ConfirmedButton>
  )
}

function ChooseVex({ versionId }: { versionId: string }) {
  const input = useRef<HTMLInputElement>(null)
  const [file, setFile] = useState<File>()
  return (
    <>
      <Button size="small" onClick={() => input.current?.click()}>
        Import VEX…
      </Button>
      <input
        ref={input}
        type="file"
        accept="application/json,.json"
        hidden
        aria-label="VEX document"
        onChange={(event) => {
          setFile(event.currentTarget.files?.[0])
          event.currentTarget.value = ''
        }}
      />
      {file && (
        <Suspense>
          <ImportVex versionId={versionId} file={file} onClose={() => setFile(undefined)} />
        </Suspense>
      )}
    </>
  )
}
