/** Renaming a trusted key, and trusting it no more. */
import { TextInput } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import type { TrustedKey, TrustedKeyProofs, WithEntityTag } from '@plimsoll/api-client'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { api } from '../../api.ts'
import { Button } from '../../components/button.tsx'
import { ConfirmedButton } from '../../components/confirm.tsx'
import { GoBack } from '../../components/dialog.tsx'
import { useFormAct } from '../../components/form-act.ts'
import { Form, FormActs, FormFault } from '../../components/form.tsx'
import { usePerform } from '../../components/perform.ts'
import { CommandDialog } from '../../components/previewed-command.tsx'
import { putBack } from '../../components/put-back.ts'
import { describeFailure } from '../../components/states.tsx'
import { formatCountOf } from '../../format/counts.ts'
import { useWorkspaceId } from '../../session.ts'
import { keyProofsQuery } from './queries.ts'
import css from './settings-page.module.css'

const KEY = '/workspaces/{workspaceId}/trusted-keys/{trustedKeyId}'

export function RenameKey({ trustedKey }: { trustedKey: TrustedKey }) {
  const [isOpen, dialog] = useDisclosure(false)
  const { name } = trustedKey
  return (
    <>
      <Button
        size="small"
        aria-haspopup="dialog"
        aria-label={`Rename ${name}`}
        onClick={dialog.open}
      >
        Rename…
      </Button>
      {isOpen && (
        <CommandDialog title={`Rename ${name}`} onClose={dialog.close}>
          <NameForm trustedKey={trustedKey} onDone={dialog.close} />
        </CommandDialog>
      )}
    </>
  )
}

function NameForm({ trustedKey, onDone }: { trustedKey: TrustedKey; onDone: () => void }) {
  const params = { workspaceId: useWorkspaceId(), trustedKeyId: trustedKey.id }
  const before = { name: trustedKey.name, purpose: trustedKey.purpose ?? '' }
  const [values, setValues] = useState(before)
  const perform = usePerform('trusted-keys', 'firmware', 'artifacts', 'sboms')
  const { error, isPending, send, findFault } = useFormAct(onDone)
  const write = async ({ name, purpose }: typeof before, ifStill: WithEntityTag<TrustedKey>) =>
    api.put(KEY, {
      params,
      body: { name, purpose: purpose.trim() === '' ? null : purpose },
      ifStill,
    })
  const rename = async () => {
    const written = await write(values, await api.get(KEY, { params }))
    return () => putBack(() => write(before, written))
  }
  return (
    <Form
      label={`Rename ${trustedKey.name}`}
      onSubmit={() =>
        send((form) =>
          perform({ text: `Trusted key ${trustedKey.name}: renamed`, form, send: rename }),
        )
      }
    >
      <TextInput
        label="Name"
        required
        data-autofocus
        value={values.name}
        error={findFault('name')}
        onChange={({ currentTarget }) => setValues({ ...values, name: currentTarget.value })}
      />
      <TextInput
        label="Purpose"
        placeholder="Release builds of the gateway"
        value={values.purpose}
        error={findFault('purpose')}
        onChange={({ currentTarget }) => setValues({ ...values, purpose: currentTarget.value })}
      />
      <p className={css['note']}>
        The key itself never changes. To replace it, trust another one and delete this.
      </p>
      <FormFault error={error} />
      <FormActs>
        <GoBack />
        <Button type="submit" kind="primary" isBusy={isPending}>
          Save name
        </Button>
      </FormActs>
    </Form>
  )
}

export function DeleteKey({ trustedKeyId, name }: { trustedKeyId: string; name: string }) {
  const workspaceId = useWorkspaceId()
  const queryClient = useQueryClient()
  const remove = useMutation({
    mutationFn: () => api.delete(KEY, { params: { workspaceId, trustedKeyId } }),
    onSuccess: async () => {
      for (const topic of ['trusted-keys', 'firmware', 'artifacts', 'sboms'])
        await queryClient.invalidateQueries({ queryKey: [topic, workspaceId] })
    },
  })
  return (
    <ConfirmedButton
      size="small"
      label={`Delete ${name}`}
      title={`Trust ${name} no more?`}
      verb="Delete key"
      act={remove}
      what={<Proofs trustedKeyId={trustedKeyId} />}
    >
      Delete…
    </ConfirmedButton>
  )
}

/** What it alone proves, counted when it is asked. */
function Proofs({ trustedKeyId }: { trustedKeyId: string }) {
  const { data, error } = useQuery(keyProofsQuery(useWorkspaceId(), trustedKeyId))
  return (
    <div className={css['stack']}>
      {data ? (
        <ProvedByIt proofs={data} />
      ) : (
        <p role="status">
          {error
            ? `Which versions lose their proof could not be read: ${describeFailure(error)}`
            : 'Counting what it alone proves…'}
        </p>
      )}
      <p>The audit log keeps the key.</p>
    </div>
  )
}

function ProvedByIt({ proofs }: { proofs: TrustedKeyProofs }) {
  const { versionCount, versions, imageCount, statementCount, sbomCount, uncheckedCount } = proofs
  const files = [
    imageCount > 0 && formatCountOf(imageCount, 'update file'),
    statementCount > 0 && formatCountOf(statementCount, 'statement'),
    sbomCount > 0 && formatCountOf(sbomCount, 'SBOM'),
  ].filter((one) => one !== false)
  const more = versionCount - versions.length
  return (
    <>
      <p role="status">
        {versionCount === 0
          ? 'No version loses its proof: no file is verified by it alone.'
          : `${formatCountOf(versionCount, 'version')} ${versionCount === 1 ? 'loses its' : 'lose their'} proof, as this key alone verifies ${files.join(', ')}:`}
      </p>
      {versionCount > 0 && (
        <ul className={css['named']}>
          {versions.map(({ id, name, firmwareName }) => (
            <li key={id}>
              {firmwareName} {name}
            </li>
          ))}
          {more > 0 && <li>and {formatCountOf(more, 'more', 'more')}</li>}
        </ul>
      )}
      {uncheckedCount > 0 && (
        <p>
          {formatCountOf(uncheckedCount, 'file')} {uncheckedCount === 1 ? 'is' : 'are'} still being
          checked, so nobody can tell yet what verifies {uncheckedCount === 1 ? 'it' : 'them'}.
        </p>
      )}
    </>
  )
}
