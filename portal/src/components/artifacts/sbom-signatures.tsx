/** Signatures that stand beside an SBOM: adding one, and taking one away. */
import { useDisclosure } from '@mantine/hooks'
import type { SbomVerification } from '@plimsoll/api-client'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { api } from '../../api.ts'
import { useMay, useWorkspaceId } from '../../session.ts'
import { Button } from '../button.tsx'
import { ConfirmedButton } from '../confirm.tsx'
import { CommandDialog } from '../previewed-command.tsx'
import { addBeside } from './add-beside.ts'
import css from './artifacts.module.css'
import { type SentSignature, SignatureForm } from './signature-form.tsx'

const SIGNATURES = '/workspaces/{workspaceId}/sboms/{sbomId}/signatures'

function useReadSbomsAgain(): () => Promise<void> {
  const workspaceId = useWorkspaceId()
  const queryClient = useQueryClient()
  return async () => {
    await queryClient.invalidateQueries({ queryKey: ['sboms', workspaceId] })
  }
}

export function SbomSignatures({ sbomId, fileName, beside }: SbomVerification) {
  const mayWrite = useMay('SBOMs: write')
  const [isOpen, dialog] = useDisclosure(false)
  return (
    <>
      {beside.map((one) => (
        <span key={one.id} className={css['beside']}>
          beside it <code>{one.fileName}</code>
          {mayWrite && <DeleteSignature sbomId={sbomId} signature={one} />}
        </span>
      ))}
      {mayWrite && (
        <Button
          size="small"
          aria-haspopup="dialog"
          aria-label={`Add signature of ${fileName}`}
          onClick={dialog.open}
        >
          Add signature…
        </Button>
      )}
      {isOpen && (
        <CommandDialog title={`Add a signature of ${fileName}`} onClose={dialog.close}>
          <NewSignature sbomId={sbomId} beside={beside} onDone={dialog.close} />
        </CommandDialog>
      )}
    </>
  )
}

type Beside = SbomVerification['beside'][number]

function DeleteSignature(props: { sbomId: string; signature: Beside }) {
  const { sbomId, signature } = props
  const { id: signatureId, fileName } = signature
  const workspaceId = useWorkspaceId()
  const remove = useMutation({
    mutationFn: () =>
      api.delete(`${SIGNATURES}/{signatureId}`, { params: { workspaceId, sbomId, signatureId } }),
    onSuccess: useReadSbomsAgain(),
  })
  return (
    <ConfirmedButton
      size="small"
      label={`Delete ${fileName}`}
      title={`Delete ${fileName}?`}
      verb="Delete signature"
      act={remove}
      what="The SBOM is checked again without it. Where it is the only signature by a trusted key, the SBOM is no longer signed by one. It is not kept: to have it back, add it again."
    >
      Delete…
    </ConfirmedButton>
  )
}

/** A DSSE envelope may hold the document. */
const MOST_BYTES = 30_000_000

interface NewSignatureProps {
  sbomId: string
  beside: readonly Beside[]
  onDone: () => void
}

function NewSignature({ sbomId, beside, onDone }: NewSignatureProps) {
  const params = { workspaceId: useWorkspaceId(), sbomId }
  const readAgain = useReadSbomsAgain()
  const send = (body: SentSignature) =>
    addBeside({
      known: beside,
      add: () => api.post(SIGNATURES, { params, body }),
      remove: (signatureId) =>
        api.delete(`${SIGNATURES}/{signatureId}`, { params: { ...params, signatureId } }),
      readAgain,
    })
  return (
    <SignatureForm
      formats="of minisign, of cosign (sign-blob with a key) or openssl, or a DSSE envelope about the SBOM"
      mostBytes={MOST_BYTES}
      onSend={send}
      onDone={onDone}
    />
  )
}
