/** Sign in: password, passkey, or an identity provider; then the second factor where there is one. */
import { PasswordInput, TextInput } from '@mantine/core'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { Link, useNavigate, useSearch } from '@tanstack/react-router'
import { useState } from 'react'
import { api } from '../../api.ts'
import { Button } from '../../components/button.tsx'
import { Form, FormFault } from '../../components/form.tsx'
import { CodeForm, PasskeyButton } from '../../components/second-factor.tsx'
import { useForm } from '../../components/use-form.ts'
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
  const first = { email: '', password: '' }
  const { save, submit, field } = useForm(first, {
    mutationFn: (body) => api.post('/auth/sign-in', { body }),
    onSuccess: onDone,
  })
  return (
    <Form onSubmit={submit}>
      <TextInput
        label="E-mail"
        type="email"
        name="email"
        autoComplete="username webauthn"
        required
        autoFocus
        {...field('email')}
      />
      <PasswordInput
        label="Password"
        name="password"
        autoComplete="current-password"
        required
        {...field('password')}
      />
      <FormFault error={save.error} said="" />
      <Button type="submit" kind="primary" size="touch" isBusy={save.isPending}>
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
