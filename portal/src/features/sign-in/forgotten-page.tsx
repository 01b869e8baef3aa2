import { TextInput } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { api } from '../../api.ts'
import { AdminCommand } from '../../components/admin-command.tsx'
import { Button } from '../../components/button.tsx'
import { Form, FormFault } from '../../components/form.tsx'
import { useForm } from '../../components/use-form.ts'
import { optionsQuery } from '../../session.ts'
import { SignedOutFrame } from './signed-out-frame.tsx'

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
  const { save, submit, values, field } = useForm(
    { email: '' },
    { mutationFn: (body) => api.post('/auth/password-reset', { body }) },
  )
  if (save.isSuccess)
    return (
      <p role="status">
        If {values.email} has an account here, a mail with a link is on its way. It works for 30
        minutes.
      </p>
    )
  return (
    <Form onSubmit={submit}>
      <TextInput
        label="E-mail"
        type="email"
        autoComplete="username"
        required
        autoFocus
        {...field('email')}
      />
      <FormFault error={save.error} said="" />
      <Button type="submit" kind="primary" size="touch" isBusy={save.isPending}>
        Send a link
      </Button>
    </Form>
  )
}
