/** What others can be told about this version, and what others said about it. */
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useRef } from 'react'
import { api } from '../../../api.ts'
import { Button } from '../../../components/button.tsx'
import { Panel } from '../../../components/panel.tsx'
import { Failure, failureText, Loading } from '../../../components/states.tsx'
import { Time } from '../../../components/time.tsx'
import { countOf } from '../../../format/counts.ts'
import { useMay, useWorkspaceId } from '../../../session.ts'
import { vexDocumentsQuery } from '../queries.ts'
import own from './compare-tab.module.css'

const EXPORTS = [
  ['vex?format=openvex', 'OpenVEX', 'what is affected, and what is not, with reasons'],
  ['vex?format=cyclonedx', 'CycloneDX VEX', 'the same, for tools that read CycloneDX'],
  ['vex?format=csaf', 'CSAF VEX', 'the same, as an advisory to publish'],
  ['vulnerability-findings/export?format=sarif', 'SARIF', 'findings for code scanning'],
  ['vulnerability-findings/export?format=csv', 'CSV', 'findings for spreadsheets'],
] as const

export function DocumentsTab({ versionId }: { versionId: string }) {
  const workspaceId = useWorkspaceId()
  const base = `/workspaces/${workspaceId}/firmware-versions/${versionId}`
  return (
    <>
      <Panel title="For others" isFlush>
        <ul className={own['list']}>
          {EXPORTS.map(([path, name, use]) => (
            <li key={path}>
              <a href={`${base}/${path}`} download>
                {name}
              </a>
              <span />
              <span>{use}</span>
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
  const { data, error, refetch } = useQuery(vexDocumentsQuery(workspaceId, versionId))
  return (
    <Panel
      title="VEX documents of others"
      aside={mayWrite && <ImportVex versionId={versionId} />}
      isFlush
    >
      {error && <Failure error={error} onRetry={() => void refetch()} />}
      {!data && !error && <Loading rows={2} />}
      {data?.documents.length === 0 && (
        <p className={own['none']}>
          None yet. A supplier’s VEX document decides findings as far as nobody here did.
        </p>
      )}
      <ul className={own['list']}>
        {data?.documents.map((document) => (
          <li key={document.id}>
            <strong>{document.author ?? document.format}</strong>
            <span>{countOf(document.statementCount, 'statement')}</span>
            <span />
            <Time at={document.receivedAt} as="date" />
          </li>
        ))}
      </ul>
    </Panel>
  )
}

function ImportVex({ versionId }: { versionId: string }) {
  const workspaceId = useWorkspaceId()
  const queryClient = useQueryClient()
  const input = useRef<HTMLInputElement>(null)
  const read = useMutation({
    mutationFn: async (file: File) => {
      const body = JSON.parse(await file.text()) as Record<string, never>
      return api.post('/workspaces/{workspaceId}/firmware-versions/{firmwareVersionId}/vex', {
        params: { workspaceId, firmwareVersionId: versionId },
        body,
      })
    },
    onSuccess: () => queryClient.invalidateQueries(),
  })
  return (
    <>
      {read.error && <span role="alert">{readFault(read.error)}</span>}
      {read.data && (
        <span role="status">
          {countOf(read.data.changes.length, 'finding')} decided, {read.data.unchangedCount} as
          before, {read.data.conflicts.length} in conflict, {read.data.unmatched.length} not found
          here
        </span>
      )}
      <Button size="small" isBusy={read.isPending} onClick={() => input.current?.click()}>
        Import VEX
      </Button>
      <input
        ref={input}
        type="file"
        accept="application/json,.json"
        hidden
        aria-label="VEX document"
        onChange={(event) => {
          const [file] = event.currentTarget.files ?? []
          if (file) read.mutate(file)
          event.currentTarget.value = ''
        }}
      />
    </>
  )
}

function readFault(error: Error): string {
  return error instanceof SyntaxError
    ? `Not imported. The file is not JSON: ${error.message}`
    : `Not imported. ${failureText(error)}`
}
