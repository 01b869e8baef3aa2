/** Renaming a trusted key, and trusting it no more. */
import { TextInput } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import type { TrustedKey, TrustedKeyProofs, WithEntityTag } from '@plimsoll/api-client'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { api } from '../../api.ts'
import { Button } from '../../components/button.tsx'
import { ChangeFault } from '../../components/change-fault.tsx'
import { ConfirmedButton } from '../../components/confirm.tsx'
import { GoBack } from '../../components/dialog.tsx'
import { Form, FormActs } from '../../components/form.tsx'
import { pickChanges } from '../../components/merged-values.ts'
import { usePerform } from '../../components/perform.ts'
import { CommandDialog } from '../../components/previewed-command.tsx'
import { putBack } from '../../components/put-back.ts'
import { describeFailure, Failure, Loading } from '../../components/states.tsx'
import { useChangeForm } from '../../components/use-change-form.ts'
import { formatCountOf } from '../../format/counts.ts'
import { useWorkspaceId } from '../../session.ts'
import { keyProofsQuery, trustedKeyQuery } from './queries.ts'
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
          <ReadKey trustedKeyId={trustedKey.id} onDone={dialog.close} />
        </CommandDialog>
      )}
    </>
  )
}

/** Its list has no entity tags, with which a change is refused that somebody else has overtaken. */
function ReadKey({ trustedKeyId, onDone }: { trustedKeyId: string; onDone: () => void }) {
  const { data, error, refetch } = useQuery(trustedKeyQuery(useWorkspaceId(), trustedKeyId))
  if (error && !data) return <Failure error={error} onRetry={() => void refetch()} />
  if (!data) return <Loading rows={3} />
  return <NameForm trustedKey={data} onDone={onDone} />
}

const readNames = ({ name, purpose }: TrustedKey) => ({ name, purpose: purpose ?? '' })

const writeNames = ({ name, purpose }: ReturnType<typeof readNames>) => ({
  name,
  purpose: purpose.trim() === '' ? null : purpose,
})

interface NameFormProps {
  trustedKey: WithEntityTag<TrustedKey>
  onDone: () => void
}

function NameForm({ trustedKey, onDone }: NameFormProps) {
  const params = { workspaceId: useWorkspaceId(), trustedKeyId: trustedKey.id }
  const perform = usePerform('trusted-keys', 'firmware', 'artifacts', 'sboms')
  const { save, submit, field, meanwhile } = useChangeForm({
    latest: trustedKey,
    audited: { subject: `trusted-key:${trustedKey.id}` },
    readValues: readNames,
    load: () => api.get(KEY, { params }),
    send: async (values, ifStill, before) => {
      const [was, is] = [writeNames(before), writeNames(values)]
      const written = await api.patch(KEY, { params, body: pickChanges(was, is), ifStill })
      const body = pickChanges(is, was)
      return () => putBack(() => api.patch(KEY, { params, body, ifStill: written }))
    },
    // It is done, and the notice has the way back.
    onSuccess: (undo) => {
      void perform({
        text: `Trusted key ${trustedKey.name}: renamed`,
        send: () => Promise.resolve(undo),
      })
      onDone()
    },
  })
  return (
    <Form label={`Rename ${trustedKey.name}`} onSubmit={submit}>
      <TextInput label="Name" required data-autofocus {...field('name')} />
      <TextInput
        label="Purpose"
        placeholder="Release builds of the gateway"
        {...field('purpose')}
      />
      <p className={css['note']}>
        The key itself never changes. To replace it, trust another one and delete this.
      </p>
      <ChangeFault error={save.error} meanwhile={meanwhile} />
      <FormActs>
        <GoBack />
        <Button type="submit" kind="primary" isBusy={save.isPending}>
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
      <UnmetByGate count={proofs.gateVersionCount} />
      {uncheckedCount > 0 && (
        <p>
          {formatCountOf(uncheckedCount, 'file')} {uncheckedCount === 1 ? 'is' : 'are'} still being
          checked, so nobody can tell yet what verifies {uncheckedCount === 1 ? 'it' : 'them'}.
        </p>
      )}
    </>
  )
}

function UnmetByGate({ count }: { count: number }) {
  if (count === 0) return null
  return (
    <p>
      The release gate demands signatures: {formatCountOf(count, 'version')}{' '}
      {count === 1 ? 'does' : 'do'} not meet it then.
    </p>
  )
}
