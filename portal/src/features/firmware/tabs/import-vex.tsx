/** A VEX document of somebody else: first what it would change, then the import. */
import type { VexImport } from '@plimsoll/api-client'
import { Checkbox, Modal } from '@mantine/core'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { type ReactNode, useState } from 'react'
import { api } from '../../../api.ts'
import { Button } from '../../../components/button.tsx'
import { describeAssessment } from '../../../components/decision/assessments.ts'
import { FormActs, FormFault } from '../../../components/form.tsx'
import { describeFailure, Loading } from '../../../components/states.tsx'
import { formatCountOf, formatCount } from '../../../format/counts.ts'
import { describeVexFormat } from '../../../format/vex-formats.ts'
import { useWorkspaceId } from '../../../session.ts'
import css from './import-vex.module.css'

interface ImportVexProps {
  versionId: string
  file: File
  onClose: () => void
}

type Mode = 'true' | 'false'

interface VexImportRequest {
  workspaceId: string
  versionId: string
  file: File
  forVersion: Mode
}

async function sendVex(
  { workspaceId, versionId, file, forVersion }: VexImportRequest,
  dryRun: Mode,
): Promise<VexImport> {
  const body = JSON.parse(await file.text()) as Record<string, never>
  return api.post('/workspaces/{workspaceId}/firmware-versions/{firmwareVersionId}/vex', {
    params: { workspaceId, firmwareVersionId: versionId },
    query: { dryRun, forVersion },
    body,
  })
}

export default function ImportVex({ versionId, file, onClose }: ImportVexProps) {
  const workspaceId = useWorkspaceId()
  const queryClient = useQueryClient()
  const [isForVersion, setForVersion] = useState(false)
  const forVersion: Mode = isForVersion ? 'true' : 'false'
  const sent = { workspaceId, versionId, file, forVersion }
  const preview = useQuery({
    queryKey: ['vex', workspaceId, versionId, 'preview', file.name, file.lastModified, forVersion],
    queryFn: () => sendVex(sent, 'true'),
    retry: false,
    gcTime: 0,
  })
  const save = useMutation({
    mutationFn: () => sendVex(sent, 'false'),
    onSuccess: async () => {
      onClose()
      await queryClient.invalidateQueries()
    },
  })
  return (
    <Modal opened onClose={onClose} title={`Import ${file.name}`} size="xl">
      {preview.isPending && <Loading rows={4} />}
      {preview.error && <p role="alert">{faultOf(preview.error)}</p>}
      {preview.data && <Preview preview={preview.data} />}
      <Checkbox
        label="The document is about this version, whatever it calls its product"
        checked={isForVersion}
        onChange={(event) => setForVersion(event.currentTarget.checked)}
      />
      <FormFault error={save.error} />
      <FormActs>
        <Button onClick={onClose}>Cancel</Button>
        <Button
          kind="primary"
          disabled={!preview.data}
          isBusy={save.isPending}
          onClick={() => save.mutate()}
        >
          {preview.data
            ? `Import, decide ${formatCountOf(preview.data.changes.length, 'finding')}`
            : '…'}
        </Button>
      </FormActs>
    </Modal>
  )
}

function faultOf(error: Error): string {
  return error instanceof SyntaxError
    ? `The file is not JSON: ${error.message}`
    : describeFailure(error)
}

function Preview({ preview }: { preview: VexImport }) {
  const { document, statementCount, changes, conflicts, unchangedCount } = preview
  const { waiting, unmatched } = preview
  return (
    <div className={css['parts']}>
      <p role="status">
        {describeVexFormat(document.format)} of {document.author ?? 'an unnamed author'}:{' '}
        {formatCountOf(statementCount, 'statement')} about this version;{' '}
        {formatCountOf(unchangedCount, 'finding')} stay as they are.
      </p>
      <Part title="Will be decided" count={changes.length}>
        {changes.slice(0, SHOWN).map((one) => (
          <ChangeRow key={`${one.findingId} ${one.pointer}`} change={one} />
        ))}
      </Part>
      <Part
        title="In conflict"
        note="somebody here decided otherwise; that stays, and the finding lists the statement"
        count={conflicts.length}
      >
        {conflicts.slice(0, SHOWN).map((one) => (
          <ChangeRow key={`${one.findingId} ${one.pointer}`} change={one} />
        ))}
      </Part>
      <Part title="Waiting" note="for a finding to begin" count={waiting.length}>
        {waiting.slice(0, SHOWN).map(({ pointer, vulnerability, reason }) => (
          <li key={pointer}>
            <code>{vulnerability}</code>
            <code>{pointer}</code>
            <span>{reason}</span>
          </li>
        ))}
      </Part>
      <Part title="Not about this version" count={unmatched.length}>
        {unmatched.slice(0, SHOWN).map(({ pointer, vulnerability, product, reason }) => (
          <li key={pointer}>
            <code>{vulnerability ?? pointer}</code>
            <code>{product}</code>
            <span>{reason}</span>
          </li>
        ))}
      </Part>
    </div>
  )
}

const SHOWN = 100

interface PartProps {
  title: string
  note?: string
  count: number
  children: ReactNode
}

function Part({ title, note, count, children }: PartProps) {
  if (count === 0) return null
  return (
    <section>
      <h3>
        {title} <small>{formatCount(count)}</small> {note !== undefined && <small>{note}</small>}
      </h3>
      <ul className={css['list']}>{children}</ul>
      {count > SHOWN && <p>and {formatCount(count - SHOWN)} more</p>}
    </section>
  )
}

type Change = VexImport['changes'][number]

function ChangeRow({
  change: { cveId, componentName, componentVersion, from, to },
}: {
  change: Change
}) {
  return (
    <li>
      <code>{cveId}</code>
      <code>
        {componentName} {componentVersion}
      </code>
      <span title={to.detail ?? undefined}>
        {describeAssessment(from.assessment)} → <strong>{describeAssessment(to.assessment)}</strong>
      </span>
    </li>
  )
}
