/** A signature that stands beside a file, for formats that hold none. */
import { useState } from 'react'
import type { ReactNode } from 'react'
import { Button } from '../button.tsx'
import { GoBack } from '../dialog.tsx'
import { useFormAct } from '../form-act.ts'
import { Form, FormActs, FormFault } from '../form.tsx'
import { usePerform } from '../perform.ts'
import css from './artifacts.module.css'
import { GivenFileFields, NO_FILE } from './given-file.tsx'

export interface SentSignature {
  fileName: string
  signature: string
}

interface SignatureFormProps {
  /** Formats that are read. */
  formats: string
  mostBytes: number
  /** Sends it; answers with the way back, unless it was there already. */
  onSend: (sent: SentSignature) => Promise<(() => Promise<undefined>) | undefined>
  onDone: () => void
  /** Beside which file it stands, where there are several. */
  children?: ReactNode
}

export function SignatureForm(props: SignatureFormProps) {
  const { formats, mostBytes, onSend, onDone, children } = props
  const [file, setFile] = useState(NO_FILE)
  const perform = usePerform('artifacts')
  const { error, isPending, send, findFault } = useFormAct(onDone)
  const { fileName, text } = file
  return (
    <Form
      label="Add a signature"
      onSubmit={() =>
        send((form) =>
          perform({
            text: `Signature ${fileName}: added, and checked soon`,
            form,
            send: () => onSend({ fileName, signature: text }),
          }),
        )
      }
    >
      {children}
      <GivenFileFields
        label="Text of the signature"
        description={formats}
        placeholder="gateway.bin.sig"
        mostBytes={mostBytes}
        value={file}
        onChange={setFile}
        fault={findFault('signature')}
        nameFault={findFault('fileName')}
      />
      <p className={css['note']}>
        The file is checked again with it. A signature of other bytes does not count, and the file
        says so.
      </p>
      <FormFault error={error} said="Not added." />
      <FormActs>
        <GoBack />
        <Button type="submit" kind="primary" disabled={text === ''} isBusy={isPending}>
          Add signature
        </Button>
      </FormActs>
    </Form>
  )
}
