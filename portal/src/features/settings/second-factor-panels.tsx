/** Authenticator app, recovery codes and passkeys of one's own account. */
import { formatCount, formatCountOf } from '../../format/counts.ts'
import { PasswordInput, TextInput } from '@mantine/core'
import { startRegistration } from '@simplewebauthn/browser'
import {
  queryOptions,
  useMutation,
  useQuery,
  useQueryClient,
  useSuspenseQuery,
} from '@tanstack/react-query'
import { useState } from 'react'
import { renderSVG } from 'uqr'
import { api } from '../../api.ts'
import { ApiProblem, type Passkey } from '@plimsoll/api-client'
import { Button } from '../../components/button.tsx'
import { type CardColumn, CardTable } from '../../components/card-table.tsx'
import { ConfirmedButton } from '../../components/confirm.tsx'
import { Copyable } from '../../components/copyable.tsx'
import type { ListFile } from '../../components/download-csv.ts'
import { Form, FormFault, ShownOnce } from '../../components/form.tsx'
import { Panel } from '../../components/panel.tsx'
import { CodeForm, PasskeyButton } from '../../components/second-factor.tsx'
import { Tag } from '../../components/tag.tsx'
import { Time } from '../../components/time.tsx'
import { useForm } from '../../components/use-form.ts'
import { meQuery } from '../../session.ts'
import css from './settings-page.module.css'

function useMeChange<Input, Answer>(mutationFn: (input: Input) => Promise<Answer>) {
  const queryClient = useQueryClient()
  return useMutation<Answer, Error, Input>({
    mutationFn,
    onSuccess: () => queryClient.invalidateQueries({ queryKey: ['me'] }),
  })
}

function FactorFault({ error, onShown }: { error: unknown; onShown: () => void }) {
  const isStale =
    error instanceof ApiProblem && error.problem.type === '/problems/second-factor-not-recent'
  return isStale ? <ShowFactorAgain onShown={onShown} /> : <FormFault error={error} />
}

/** Factors change only within ten minutes after one was shown. */
function ShowFactorAgain({ onShown }: { onShown: () => void }) {
  const { data: me } = useSuspenseQuery(meQuery)
  return (
    <div role="status">
      <p>
        Nothing was changed yet: to change how you sign in, show your second factor again. It counts
        for ten minutes; then repeat what you did.
      </p>
      {me.totp && <CodeForm onDone={onShown} />}
      {me.passkeys > 0 && <PasskeyButton onDone={onShown} />}
    </div>
  )
}

export function TotpPanel() {
  const { data: me } = useSuspenseQuery(meQuery)
  const begin = useMeChange(() => api.post('/me/totp', {}))
  const [codes, setCodes] = useState<readonly string[]>()
  return (
    <Panel
      title="Authenticator app"
      note="a second factor: six digits that change every 30 seconds"
      aside={<Tag tone={me.totp ? 'ok' : 'muted'}>{me.totp ? 'on' : 'off'}</Tag>}
    >
      <FactorFault error={begin.error} onShown={begin.reset} />
      {!me.totp && !begin.data && (
        <Button isBusy={begin.isPending} onClick={() => begin.mutate(undefined)}>
          Set up an app
        </Button>
      )}
      {!me.totp && begin.data && (
        <ConfirmTotp uri={begin.data.uri} secret={begin.data.secret} onDone={setCodes} />
      )}
      {codes && <RecoveryCodes codes={codes} />}
      {me.totp && <TotpActs left={me.recoveryCodesLeft} onCodes={setCodes} />}
    </Panel>
  )
}

function ConfirmTotp({
  uri,
  secret,
  onDone,
}: {
  uri: string
  secret: string
  onDone: (codes: readonly string[]) => void
}) {
  // The codes are kept before the person is read again: then this form goes, and with it what waits for its answer.
  const confirm = useMeChange(async (code: string) => {
    const { recoveryCodes } = await api.post('/me/totp/confirm', { body: { code: code.trim() } })
    onDone(recoveryCodes)
  })
  const { save, submit, field } = useForm(
    { code: '' },
    { mutationFn: ({ code }) => confirm.mutateAsync(code) },
  )
  const picture = `data:image/svg+xml;utf8,${encodeURIComponent(renderSVG(uri))}`
  return (
    <Form onSubmit={submit} label="Set up an app">
      <p>Scan this with the app, or type the secret into it:</p>
      <img src={picture} width={180} height={180} alt="QR code of the secret below" />
      <Copyable text={secret} label="secret" />
      <TextInput
        label="The six digits that it shows"
        inputMode="numeric"
        autoComplete="one-time-code"
        required
        {...field('code')}
      />
      <FormFault error={save.error} />
      <div>
        <Button type="submit" kind="primary" isBusy={save.isPending}>
          Switch on
        </Button>
      </div>
    </Form>
  )
}

function RecoveryCodes({ codes }: { codes: readonly string[] }) {
  return (
    <ShownOnce text={codes.join(' ')} label="recovery codes">
      Recovery codes, shown this once. Each opens the account once where the app is lost; keep them
      on paper.
    </ShownOnce>
  )
}

function TotpActs({
  left,
  onCodes,
}: {
  left: number
  onCodes: (codes: readonly string[]) => void
}) {
  const [password, setPassword] = useState('')
  const renew = useMeChange(async () => {
    const { recoveryCodes } = await api.post('/me/recovery-codes', {})
    onCodes(recoveryCodes)
  })
  const remove = useMeChange(() => api.delete('/me/totp', { body: { password } }))
  return (
    <>
      <p>{formatCountOf(left, 'recovery code is', 'recovery codes are')} left.</p>
      <FactorFault
        error={renew.error ?? remove.error}
        onShown={() => {
          renew.reset()
          remove.reset()
        }}
      />
      <div className={css['row']}>
        <ConfirmedButton
          title="Make new recovery codes?"
          verb="Make new codes"
          act={renew}
          isFaultOnPage
          what={`${left === 1 ? 'The code that is' : `The ${formatCount(left)} that are`} left will work no more.`}
        >
          New recovery codes…
        </ConfirmedButton>
        <PasswordInput
          aria-label="Password, to switch the app off"
          placeholder="Password"
          autoComplete="current-password"
          value={password}
          onChange={(event) => setPassword(event.currentTarget.value)}
        />
        <Button
          kind="danger"
          disabled={password === ''}
          isBusy={remove.isPending}
          onClick={() => remove.mutate(undefined)}
        >
          Switch off
        </Button>
      </div>
    </>
  )
}

const passkeysQuery = queryOptions({
  queryKey: ['me', 'passkeys'],
  queryFn: () => api.get('/me/passkeys', {}),
})

const PASSKEYS_FILE: ListFile<Passkey> = {
  name: 'passkeys',
  columns: ['name', 'createdAt', 'lastUsedAt'],
}

const PASSKEY_COLUMNS: readonly CardColumn<Passkey>[] = [
  { title: 'Passkey', isPlain: true, cell: ({ name }) => <strong>{name}</strong> },
  { title: 'Since', cell: ({ createdAt }) => <Time at={createdAt} as="date" /> },
  {
    title: 'Last used',
    cell: ({ lastUsedAt }) => (lastUsedAt === null ? 'not used yet' : <Time at={lastUsedAt} />),
  },
]

export function PasskeysPanel() {
  const { data } = useQuery(passkeysQuery)
  const [name, setName] = useState('')
  const add = useMeChange(async (given: string) => {
    const optionsJSON = await api.post('/me/passkeys/options', {})
    const response = await startRegistration({ optionsJSON: optionsJSON as never })
    return api.post('/me/passkeys', { body: { name: given, response: response as never } })
  })
  const remove = useMeChange((passkeyId: string) =>
    api.delete('/me/passkeys/{passkeyId}', { params: { passkeyId } }),
  )
  const submit = () => add.mutate(name, { onSuccess: () => setName('') })
  const columns: readonly CardColumn<Passkey>[] = [
    ...PASSKEY_COLUMNS,
    {
      title: 'Acts',
      isActs: true,
      cell: (passkey) => (
        <ConfirmedButton
          size="small"
          label={`Remove ${passkey.name}`}
          title={`Remove the passkey ${passkey.name}?`}
          verb="Remove passkey"
          act={{ ...remove, mutate: (_, then) => remove.mutate(passkey.id, then) }}
          isFaultOnPage
          what="Nobody can sign in with it from then on."
        >
          Remove…
        </ConfirmedButton>
      ),
    },
  ]
  return (
    <Panel
      title="Passkeys"
      note="sign in by fingerprint, face or security key; both factors at once"
    >
      <Form onSubmit={submit} label="New passkey">
        <div className={css['row']}>
          <TextInput
            label="Name"
            placeholder="Laptop"
            required
            value={name}
            onChange={(event) => setName(event.currentTarget.value)}
          />
          <Button type="submit" isBusy={add.isPending}>
            Add passkey
          </Button>
        </div>
      </Form>
      {add.error?.name === 'NotAllowedError' ? (
        <p role="alert">The device made no passkey. Nothing was changed.</p>
      ) : (
        <FactorFault
          error={add.error ?? remove.error}
          onShown={() => {
            add.reset()
            remove.reset()
          }}
        />
      )}
      {data && data.length > 0 && (
        <CardTable
          label="Passkeys"
          list="passkeys"
          csv={PASSKEYS_FILE}
          columns={columns}
          rows={data}
          keyOf={({ id }) => id}
        />
      )}
    </Panel>
  )
}
