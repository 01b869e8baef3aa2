/** Sign in: password, passkey, or an identity provider; then the second factor where there is one. */
import { PasswordInput, TextInput } from '@mantine/core'
import { startAuthentication } from '@simplewebauthn/browser'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { Link, useNavigate, useSearch } from '@tanstack/react-router'
import { useState } from 'react'
import { api } from '../../api.ts'
import { Button } from '../../components/button.tsx'
import { Form } from '../../components/form.tsx'
import { failureText } from '../../components/states.tsx'
import { signInErrorText } from './errors.ts'
import { optionsQuery } from '../../session.ts'
import { Outside } from './outside.tsx'
import css from './outside.module.css'
import { safePath } from './safe-path.ts'

export function SignInPage() {
  const { returnTo, error, step } = useSearch({ from: '/sign-in' })
  const { data: options } = useQuery(optionsQuery)
  const [needsSecondFactor, setNeedsSecondFactor] = useState(step === 'second-factor')
  const enter = useEnter(returnTo)
  if (needsSecondFactor) return <SecondFactor onDone={enter} />
  return (
    <Outside title="Sign in">
      {error !== undefined && (
        <p className={css['fault']} role="alert">
          {signInErrorText(error)}
        </p>
      )}
      {options?.password !== false && (
        <PasswordForm
          onDone={({ state }) =>
            state === 'SecondFactorNeeded' ? setNeedsSecondFactor(true) : enter()
          }
        />
      )}
      <div className={css['or']}>
        {options?.passkeys === true && <PasskeyButton onDone={enter} />}
        {options?.providers.map(({ id, name }) => (
          <Button
            key={id}
            size="touch"
            onClick={() =>
              globalThis.location.assign(
                `/auth/oidc/${encodeURIComponent(id)}/start?returnTo=${encodeURIComponent(safePath(returnTo))}`,
              )
            }
          >
            Continue with {name}
          </Button>
        ))}
        {options?.password !== false && <Link to="/forgotten-password">Forgot the password?</Link>}
      </div>
    </Outside>
  )
}

function useEnter(returnTo: string | undefined): () => void {
  const navigate = useNavigate()
  const queryClient = useQueryClient()
  return () => {
    // What was kept belongs to whoever was signed in before.
    queryClient.clear()
    void navigate({ href: safePath(returnTo), replace: true })
  }
}

interface SignedIn {
  state: 'SignedIn' | 'SecondFactorNeeded'
}

function PasswordForm({ onDone }: { onDone: (answer: SignedIn) => void }) {
  const [email, setEmail] = useState('')
  const [password, setPassword] = useState('')
  const signIn = useMutation({
    mutationFn: () => api.post('/auth/sign-in', { body: { email, password } }),
    onSuccess: onDone,
  })
  const submit = () => signIn.mutate()
  return (
    <Form onSubmit={submit}>
      <TextInput
        label="E-mail"
        type="email"
        name="email"
        autoComplete="username webauthn"
        required
        autoFocus
        value={email}
        onChange={(event) => setEmail(event.currentTarget.value)}
      />
      <PasswordInput
        label="Password"
        name="password"
        autoComplete="current-password"
        required
        value={password}
        onChange={(event) => setPassword(event.currentTarget.value)}
      />
      {signIn.error && (
        <p className={css['fault']} role="alert">
          {failureText(signIn.error)}
        </p>
      )}
      <Button type="submit" kind="primary" size="touch" isBusy={signIn.isPending}>
        Sign in
      </Button>
    </Form>
  )
}

function PasskeyButton({ onDone }: { onDone: () => void }) {
  const passkey = useMutation({
    mutationFn: async () => {
      const optionsJSON = await api.post('/auth/passkeys/options', {})
      const response = await startAuthentication({ optionsJSON })
      return api.post('/auth/passkeys/sign-in', { body: response as never })
    },
    onSuccess: onDone,
  })
  return (
    <>
      <Button size="touch" isBusy={passkey.isPending} onClick={() => passkey.mutate()}>
        Use a passkey
      </Button>
      {passkey.error && (
        <p className={css['fault']} role="alert">
          {passkey.error.name === 'NotAllowedError'
            ? 'The passkey was not used.'
            : failureText(passkey.error)}
        </p>
      )}
    </>
  )
}

function SecondFactor({ onDone }: { onDone: () => void }) {
  const [code, setCode] = useState('')
  const [isRecovery, setIsRecovery] = useState(false)
  const confirm = useMutation({
    mutationFn: () =>
      api.post('/auth/second-factor', {
        body: isRecovery ? { recoveryCode: code.trim() } : { code: code.trim() },
      }),
    onSuccess: onDone,
  })
  const submit = () => confirm.mutate()
  return (
    <Outside title="Second factor">
      <Form onSubmit={submit}>
        <TextInput
          key={String(isRecovery)}
          label={
            isRecovery ? 'One of your recovery codes' : 'The six digits of your authenticator app'
          }
          inputMode={isRecovery ? 'text' : 'numeric'}
          autoComplete="one-time-code"
          required
          autoFocus
          value={code}
          onChange={(event) => setCode(event.currentTarget.value)}
        />
        {confirm.error && (
          <p className={css['fault']} role="alert">
            {failureText(confirm.error)}
          </p>
        )}
        <Button type="submit" kind="primary" size="touch" isBusy={confirm.isPending}>
          Go on
        </Button>
        <Button
          kind="quiet"
          onClick={() => {
            setIsRecovery(!isRecovery)
            setCode('')
          }}
        >
          {isRecovery ? 'Use the authenticator app' : 'Use a recovery code'}
        </Button>
      </Form>
    </Outside>
  )
}
