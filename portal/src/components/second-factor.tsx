/** Ways to show a second factor: the second step of a sign-in, or once more before factors are changed. */
import { TextInput } from '@mantine/core'
import { startAuthentication } from '@simplewebauthn/browser'
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { api } from '../api.ts'
import { Button } from './button.tsx'
import { Form, FormFault } from './form.tsx'
import css from './form.module.css'
import { describeFailure } from './states.tsx'

export function PasskeyButton({ onDone }: { onDone: () => void }) {
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
            : describeFailure(passkey.error)}
        </p>
      )}
    </>
  )
}

export function CodeForm({ onDone }: { onDone: () => void }) {
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
    <Form onSubmit={submit} label="Second factor">
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
      <FormFault error={confirm.error} said="Not accepted." />
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
  )
}
