/** Signatures that stand beside the files of a version, whose formats hold none. */
import { Select } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import type { ArtifactSignature, FirmwareVersion, RoleArtifact } from '@plimsoll/api-client'
import { useMutation, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { api } from '../../api.ts'
import { useMay, useWorkspaceId } from '../../session.ts'
import { Button } from '../button.tsx'
import { type CardColumn, CardTable } from '../card-table.tsx'
import { ConfirmedButton } from '../confirm.tsx'
import { ListPanel } from '../list-panel.tsx'
import { CommandDialog } from '../previewed-command.tsx'
import { Time } from '../time.tsx'
import { addBeside } from './add-beside.ts'
import { describeRole } from './artifact-name.ts'
import css from './artifacts.module.css'
import { type SentSignature, SignatureForm } from './signature-form.tsx'
import {
  SIGNATURES,
  signaturesQuery,
  useReadArtifactsAgain,
  versionArtifactsQuery,
} from './queries.ts'

interface SignatureRow extends ArtifactSignature {
  /** Of the file that it stands beside. */
  of: string
}

export function SignaturesPanel({ version }: { version: FirmwareVersion }) {
  const workspaceId = useWorkspaceId()
  const mayWrite = useMay('Firmware: write')
  const query = useQuery(signaturesQuery(workspaceId, version.id))
  const artifacts = useQuery(versionArtifactsQuery(workspaceId, version.id)).data?.artifacts ?? []
  // Without a file there is nothing to sign.
  if (artifacts.length === 0 && query.data?.signatures.length === 0) return null
  const rows = query.data?.signatures.map((one): SignatureRow => {
    const file = artifacts.find(
      ({ role, baseVersionId }) => role === one.role && baseVersionId === one.baseVersionId,
    )
    return { ...one, of: describeRole(file ?? { role: one.role }) }
  })
  return (
    <ListPanel
      query={query}
      rows={rows}
      loadingRows={2}
      title="Signatures beside the files"
      note="of minisign, cosign or openssl; those inside a file are read by themselves"
      aside={
        mayWrite &&
        artifacts.length > 0 && <AddSignature versionId={version.id} artifacts={artifacts} />
      }
      empty={
        <p className={css['none']}>
          There is none. A file whose format holds no signature is proved by one that stands beside
          it.
        </p>
      }
    >
      {(shown) => (
        <CardTable
          label="Signatures beside the files"
          list="artifact-signatures"
          csv={{
            name: `signatures-${version.name}`,
            columns: ['id', 'fileName', 'of', 'kind', 'keyId', 'createdByEmail', 'createdAt'],
          }}
          columns={listColumns(version.id, mayWrite)}
          rows={shown}
          keyOf={({ id }) => id}
        />
      )}
    </ListPanel>
  )
}

const COLUMNS: readonly CardColumn<SignatureRow>[] = [
  {
    title: 'Signature',
    isPlain: true,
    cell: ({ fileName }) => <strong className={css['name']}>{fileName}</strong>,
  },
  { title: 'Beside', cell: ({ of }) => of },
  {
    title: 'Kind',
    cell: ({ kind, keyId }) => (
      <>
        {kind === 'minisign' ? 'minisign' : 'bytes alone, as of cosign or openssl'}
        <p className={css['note']}>{keyId === null ? 'names no key' : `names the key ${keyId}`}</p>
      </>
    ),
  },
  {
    title: 'Added',
    cell: ({ createdAt, createdByEmail }) => (
      <>
        <Time at={createdAt} />
        {createdByEmail !== null && <p className={css['note']}>by {createdByEmail}</p>}
      </>
    ),
  },
]

function listColumns(versionId: string, mayWrite: boolean): readonly CardColumn<SignatureRow>[] {
  if (!mayWrite) return COLUMNS
  return [
    ...COLUMNS,
    {
      title: 'Acts',
      isActs: true,
      cell: (signature) => <DeleteSignature versionId={versionId} signature={signature} />,
    },
  ]
}

function DeleteSignature(props: { versionId: string; signature: SignatureRow }) {
  const { versionId, signature } = props
  const { id: signatureId, fileName, of } = signature
  const workspaceId = useWorkspaceId()
  const remove = useMutation({
    mutationFn: () =>
      api.delete(`${SIGNATURES}/{signatureId}`, {
        params: { workspaceId, firmwareVersionId: versionId, signatureId },
      }),
    onSuccess: useReadArtifactsAgain(versionId),
  })
  return (
    <ConfirmedButton
      size="small"
      label={`Delete ${fileName}`}
      title={`Delete ${fileName}?`}
      verb="Delete signature"
      act={remove}
      what={`The file is checked again without it: ${of}. Where it is the only signature by a trusted key, the file is no longer proved. It is not kept: to have it back, add it again.`}
    >
      Delete…
    </ConfirmedButton>
  )
}

interface AddSignatureProps {
  versionId: string
  artifacts: readonly RoleArtifact[]
}

function AddSignature(props: AddSignatureProps) {
  const [isOpen, dialog] = useDisclosure(false)
  return (
    <>
      <Button aria-haspopup="dialog" onClick={dialog.open}>
        Add signature…
      </Button>
      {isOpen && (
        <CommandDialog title="Add a signature" onClose={dialog.close}>
          <NewSignature {...props} onDone={dialog.close} />
        </CommandDialog>
      )}
    </>
  )
}

const MOST_BYTES = 16 * 1024

const keyOf = ({ role, baseVersionId }: RoleArtifact) => `${role} ${baseVersionId ?? ''}`

function NewSignature(props: AddSignatureProps & { onDone: () => void }) {
  const { versionId, artifacts, onDone } = props
  const workspaceId = useWorkspaceId()
  const [first] = artifacts
  const [chosen, setChosen] = useState(first ? keyOf(first) : '')
  const known = useQuery(signaturesQuery(workspaceId, versionId)).data?.signatures ?? []
  const readAgain = useReadArtifactsAgain(versionId)
  const params = { workspaceId, firmwareVersionId: versionId }
  const send = (sent: SentSignature) => {
    const { role, baseVersionId } = artifacts.find((one) => keyOf(one) === chosen) ?? {}
    const body = {
      ...sent,
      ...(role !== undefined && role !== 'image' && { role }),
      ...(typeof baseVersionId === 'string' && { baseVersionId }),
    }
    return addBeside({
      known,
      add: () => api.post(SIGNATURES, { params, body }),
      remove: (signatureId) =>
        api.delete(`${SIGNATURES}/{signatureId}`, { params: { ...params, signatureId } }),
      readAgain,
    })
  }
  return (
    <SignatureForm
      formats="of minisign, or of cosign (sign-blob with a key) or openssl: its bytes, Base64 or hexadecimal"
      mostBytes={MOST_BYTES}
      onSend={send}
      onDone={onDone}
    >
      {artifacts.length > 1 && (
        <Select
          label="Beside"
          data={artifacts.map((one) => ({ value: keyOf(one), label: describeRole(one) }))}
          allowDeselect={false}
          value={chosen}
          onChange={(value) => setChosen(value ?? '')}
        />
      )}
    </SignatureForm>
  )
}
