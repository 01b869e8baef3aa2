/** A statement about the files of a version, pasted or chosen as a file. */
import { useDisclosure } from '@mantine/hooks'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { api } from '../../api.ts'
import { useWorkspaceId } from '../../session.ts'
import { Button } from '../button.tsx'
import { GoBack } from '../dialog.tsx'
import { useFormAct } from '../form-act.ts'
import { Form, FormActs, FormFault } from '../form.tsx'
import { usePerform } from '../perform.ts'
import { CommandDialog } from '../previewed-command.tsx'
import { addBeside } from './add-beside.ts'
import css from './artifacts.module.css'
import { GivenFileFields, NO_FILE } from './given-file.tsx'
import { STATEMENTS, statementsQuery, useReadArtifactsAgain } from './queries.ts'

export function AddStatement({ versionId }: { versionId: string }) {
  const [isOpen, dialog] = useDisclosure(false)
  return (
    <>
      <Button aria-haspopup="dialog" onClick={dialog.open}>
        Add statement…
      </Button>
      {isOpen && (
        <CommandDialog title="Add a statement" onClose={dialog.close}>
          <StatementForm versionId={versionId} onDone={dialog.close} />
        </CommandDialog>
      )}
    </>
  )
}

const MOST_BYTES = 8 * 1024 * 1024

function StatementForm({ versionId, onDone }: { versionId: string; onDone: () => void }) {
  const workspaceId = useWorkspaceId()
  const [file, setFile] = useState(NO_FILE)
  const known = useQuery(statementsQuery(workspaceId, versionId)).data?.statements ?? []
  const readAgain = useReadArtifactsAgain(versionId)
  const perform = usePerform('artifacts')
  const act = useFormAct(onDone)
  const { error, isPending, send, findFault } = act
  const params = { workspaceId, firmwareVersionId: versionId }
  const add = () => {
    const body = { fileName: file.fileName, statement: file.text }
    return addBeside({
      known,
      add: () => api.post(STATEMENTS, { params, body }),
      remove: (statementId) =>
        api.delete(`${STATEMENTS}/{statementId}`, { params: { ...params, statementId } }),
      readAgain,
    })
  }
  return (
    <Form
      label="Add a statement"
      onSubmit={() =>
        send((form) => perform({ text: `Statement ${file.fileName}: added`, form, send: add }))
      }
    >
      <GivenFileFields
        label="Text of the statement"
        description="in-toto, in a DSSE envelope, or a bundle of Sigstore: SLSA provenance, an attested SBOM, or another one; at most 8 MiB"
        placeholder="gateway.intoto.json"
        mostBytes={MOST_BYTES}
        value={file}
        onChange={setFile}
        fault={findFault('statement')}
        nameFault={findFault('fileName')}
      />
      <p className={css['note']}>
        Its signature is checked with the trusted keys. One that is not valid is refused; one that
        no trusted key made is kept as stated, and proves nothing.
      </p>
      <FormFault error={error} said="Not added." />
      <FormActs>
        <GoBack />
        <Button type="submit" kind="primary" disabled={file.text === ''} isBusy={isPending}>
          Add statement
        </Button>
      </FormActs>
    </Form>
  )
}
