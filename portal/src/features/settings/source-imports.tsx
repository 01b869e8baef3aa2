/** Files of advisories that people carry in where the service has no way to the internet. */
import { readFailure, type SourceImport, type VulnerabilitySource } from '@plimsoll/api-client'
import { TextInput } from '@mantine/core'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { AdminCommand } from '../../components/admin-command.tsx'
import { FileDrop } from '../../components/file-drop.tsx'
import { FormFault } from '../../components/form.tsx'
import { Panel } from '../../components/panel.tsx'
import { Dot, type Tone } from '../../components/tag.tsx'
import { Time } from '../../components/time.tsx'
import { formatCountOf, formatBytes, formatCount } from '../../format/counts.ts'
import { useWorkspaceId } from '../../session.ts'
import { SOURCE_NAMES } from '../../format/sources.ts'
import css from './sources-part.module.css'

export function Imports({
  imports,
  mayImport,
}: {
  imports: readonly SourceImport[]
  mayImport: boolean
}) {
  return (
    <Panel title="Carry files in" note="without the internet" isFlush>
      {mayImport && <Drop />}
      <ul className={css['sources']}>
        {imports.map((one) => (
          <ImportRow key={one.id} one={one} />
        ))}
      </ul>
    </Panel>
  )
}

function Drop() {
  const workspaceId = useWorkspaceId()
  const queryClient = useQueryClient()
  const [complete, setComplete] = useState('')
  const send = useMutation({
    mutationFn: (file: File) => sendFile(workspaceId, file, complete),
    onSuccess: () => {
      setComplete('')
      return queryClient.invalidateQueries({ queryKey: ['sources', workspaceId] })
    },
  })
  return (
    <div className={css['carry']}>
      <p className={css['holds']}>
        A file as its source publishes it (OSV, NVD, CVE List, CSAF, KEV, EPSS), or a bundle that{' '}
        <AdminCommand command="feeds bundle" /> wrote on a machine with internet. Its content tells
        what it is. It counts for all workspaces of this service.
      </p>
      <TextInput
        label="The file holds all records of"
        description="Ecosystems of OSV, such as npm, Debian; empty if you do not know. What none of their records names is then judged as not affected. Until all records are known, it stays not judged. OSV’s own archives (npm/all.zip) and bundles say so themselves."
        placeholder="npm, Debian"
        value={complete}
        onChange={(event) => setComplete(event.currentTarget.value)}
      />
      <FileDrop
        label="File of advisories"
        css={css}
        onFile={(file) => {
          if (!send.isPending) send.mutate(file)
        }}
      >
        {send.isPending
          ? `Sending ${send.variables.name}, ${formatBytes(send.variables.size)}…`
          : 'Drop a file of advisories here, or choose it'}
      </FileDrop>
      <FormFault error={send.error} />
    </div>
  )
}

async function sendFile(workspaceId: string, file: File, complete: string): Promise<void> {
  const query = new URLSearchParams({ fileName: file.name, ...(complete !== '' && { complete }) })
  const response = await fetch(
    `/workspaces/${workspaceId}/vulnerability-sources/imports?${query.toString()}`,
    { method: 'POST', headers: { 'content-type': 'application/octet-stream' }, body: file },
  )
  if (!response.ok) throw await readFailure(response)
}

const STATES: Record<SourceImport['state'], { tone: Tone; text: string }> = {
  Waiting: { tone: 'muted', text: 'Waits for a worker' },
  Importing: { tone: 'accent', text: 'Importing' },
  Succeeded: { tone: 'ok', text: 'Imported' },
  Failed: { tone: 'danger', text: 'Not imported' },
}

function ImportRow({ one }: { one: SourceImport }) {
  const { fileName, sizeBytes, state, progress, error, sources, createdAt, createdByEmail } = one
  const { tone, text } = STATES[state]
  return (
    <li>
      <div className={css['head']}>
        <code className={css['file']}>{fileName}</code>
        <Dot tone={tone} isHollow={state === 'Waiting' || state === 'Importing'}>
          {text}
        </Dot>
      </div>
      <p className={css['holds']}>
        {formatBytes(sizeBytes)}, {createdByEmail ?? 'a key'}, <Time at={createdAt} />
      </p>
      {progress !== null && <p role="status">{progress}</p>}
      {error !== null && <p className={css['fault']}>{error}</p>}
      {sources.map((held) => (
        <Held key={held.source} held={held} />
      ))}
    </li>
  )
}

function Held({ held }: { held: SourceImport['sources'][number] }) {
  const { source, added, changed, unchanged, withdrawn, skipped, skippedReasons, error } = held
  const counts = [
    `${formatCount(added)} new`,
    `${formatCount(changed)} changed`,
    `${formatCount(unchanged)} unchanged`,
    ...(withdrawn > 0 ? [`${formatCount(withdrawn)} withdrawn`] : []),
  ]
  return (
    <div>
      <p>
        {SOURCE_NAMES[source]}: {error ?? counts.join(', ')}
      </p>
      <Rejects count={skipped} reasons={skippedReasons} />
    </div>
  )
}

interface RejectsProps {
  count: number
  reasons: VulnerabilitySource['skippedReasons']
}

/** Records that could not be read are left out one by one; the rest of the source counts. */
export function Rejects({ count: rejected, reasons }: RejectsProps) {
  if (rejected === 0) return null
  return (
    <details className={css['rejects']}>
      <summary>{formatCountOf(rejected, 'record')} rejected</summary>
      <ul>
        {reasons.map(({ reason, count }) => (
          <li key={reason}>
            {formatCount(count)} × {reason}
          </li>
        ))}
      </ul>
    </details>
  )
}
