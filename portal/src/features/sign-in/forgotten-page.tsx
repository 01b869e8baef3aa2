import { TextInput } from '@mantine/core'
import { useMutation, useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { api } from '../../api.ts'
import { AdminCommand } from '../../components/admin-command.tsx'
import { Button } from '../../components/button.tsx'
import { Form } from '../../components/form.tsx'
import { describeFailure } from '../../components/states.tsx'
import { optionsQuery } from '../../session.ts'
import { SignedOutFrame } from './signed-out-frame.tsx'
import css from './signed-out-frame.module.css'

export function ForgottenPage() {
  const { data: options } = useQuery(optionsQuery)
  return (
    <SignedOutFrame title="Forgotten password">
      {options?.mail === false ? (
        <p>
          This service sends no mail. Its operator makes a link for you:{' '}
          <AdminCommand command="person reset you@example.com" />
        </p>
      ) : (
        <ResetForm />
      )}
      <Link to="/sign-in" search={{}}>
        Back to sign in
      </Link>
    </SignedOutFrame>
  )
}

function ResetForm() {
  const [email, setEmail] = useState('')
  const ask = useMutation({
    mutationFn: () => api.post('/auth/password-reset', { body: { email } }),
  })
  if (ask.isSuccess)
    return (
      <p role="status">
        If {email} has an account here, a mail with a link is on its way. It works for 30 minutes.
      </p>
    )
  const submit = () => ask.mutate()
  return (
    <Form onSubmit={submit}>
      <TextInput
        label="E-mail"
        type="email"
        autoComplete="username"
        required
        autoFocus
        value={email}
        onChange={(event) => setEmail(event.currentTarget.value)}
      />
      {ask.error && (
        <p className={css['fault']} role="alert">
          {describeFailure(ask.error)}
        </p>
      )}
      <Button type="submit" kind="primary" size="touch" isBusy={ask.isPending}>
        Send a link
      </Button>
    </Form>
  )
}
