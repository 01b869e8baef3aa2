/** Sign in: password, passkey, or an identity provider; then the second factor where there is one. */
import { PasswordInput, TextInput } from '@mantine/core'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { Link, useNavigate, useSearch } from '@tanstack/react-router'
import { useState } from 'react'
import { api } from '../../api.ts'
import { Button } from '../../components/button.tsx'
import { Form } from '../../components/form.tsx'
import { CodeForm, PasskeyButton } from '../../components/second-factor.tsx'
import { describeFailure } from '../../components/states.tsx'
import { signInErrorText } from './errors.ts'
import { optionsQuery } from '../../session.ts'
import { SignedOutFrame } from './signed-out-frame.tsx'
import css from './signed-out-frame.module.css'
import { choosePath } from './safe-path.ts'

export function SignInPage() {
  const { returnTo, error, step } = useSearch({ from: '/sign-in' })
  const { data: options } = useQuery(optionsQuery)
  const [secondStep, setSecondStep] = useState<SecondStep | undefined>(
    step === 'second-factor' ? {} : undefined,
  )
  const enter = useEnter(returnTo)
  if (secondStep) return <SecondFactor {...secondStep} onDone={enter} />
  return (
    <SignedOutFrame title="Sign in">
      {error !== undefined && (
        <p className={css['fault']} role="alert">
          {signInErrorText(error)}
        </p>
      )}
      {options?.password !== false && (
        <PasswordForm
          onDone={({ state, secondFactors: factors }) =>
            state === 'SecondFactorNeeded' ? setSecondStep({ factors }) : enter()
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
                `/auth/oidc/${encodeURIComponent(id)}/start?returnTo=${encodeURIComponent(choosePath(returnTo))}`,
              )
            }
          >
            Continue with {name}
          </Button>
        ))}
        {options?.password !== false && <Link to="/forgotten-password">Forgot the password?</Link>}
      </div>
    </SignedOutFrame>
  )
}

function useEnter(returnTo: string | undefined): () => void {
  const navigate = useNavigate()
  const queryClient = useQueryClient()
  return () => {
    // What was kept belongs to whoever was signed in before.
    queryClient.clear()
    void navigate({ href: choosePath(returnTo), replace: true })
  }
}

interface SignedIn {
  state: 'SignedIn' | 'SecondFactorNeeded'
  secondFactors: readonly string[]
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
          {describeFailure(signIn.error)}
        </p>
      )}
      <Button type="submit" kind="primary" size="touch" isBusy={signIn.isPending}>
        Sign in
      </Button>
    </Form>
  )
}

interface SecondStep {
  /** Absent where a provider sent the browser here: nothing tells which there are. */
  factors?: readonly string[]
}

function SecondFactor({ factors, onDone }: SecondStep & { onDone: () => void }) {
  const { data: options } = useQuery(optionsQuery)
  const takesPasskeys = factors?.includes('Passkey') ?? options?.passkeys === true
  return (
    <SignedOutFrame title="Second factor">
      {factors?.includes('Totp') !== false && <CodeForm onDone={onDone} />}
      {takesPasskeys && <PasskeyButton onDone={onDone} />}
    </SignedOutFrame>
  )
}
