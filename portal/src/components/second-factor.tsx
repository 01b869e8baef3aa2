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
import { useForm } from './use-form.ts'

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
  const [name, setName] = useState<'code' | 'recoveryCode'>('code')
  const isRecovery = name === 'recoveryCode'
  const { save, submit, change, field } = useForm(
    { code: '', recoveryCode: '' },
    {
      mutationFn: ({ code, recoveryCode }) =>
        api.post('/auth/second-factor', {
          body: isRecovery ? { recoveryCode: recoveryCode.trim() } : { code: code.trim() },
        }),
      onSuccess: onDone,
    },
  )
  return (
    <Form onSubmit={submit} label="Second factor">
      <TextInput
        key={name}
        label={
          isRecovery ? 'One of your recovery codes' : 'The six digits of your authenticator app'
        }
        inputMode={isRecovery ? 'text' : 'numeric'}
        autoComplete="one-time-code"
        required
        autoFocus
        {...field(name)}
      />
      <FormFault error={save.error} said="Not accepted." />
      <Button type="submit" kind="primary" size="touch" isBusy={save.isPending}>
        Go on
      </Button>
      <Button
        kind="quiet"
        onClick={() => {
          setName(isRecovery ? 'code' : 'recoveryCode')
          change({ code: '', recoveryCode: '' })
        }}
      >
        {isRecovery ? 'Use the authenticator app' : 'Use a recovery code'}
      </Button>
    </Form>
  )
}
