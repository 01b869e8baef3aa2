/** What a one-time link leads to: a first password, an invitation, a new password, or straight in. */
import { PasswordInput, TextInput } from '@mantine/core'
import type { PasswordLink } from '@plimsoll/api-client'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { Link, useNavigate } from '@tanstack/react-router'
import { useEffect, useState } from 'react'
import { api } from '../../api.ts'
import { Button } from '../../components/button.tsx'
import { Form, FormFault } from '../../components/form.tsx'
import { describeFailure, Loading } from '../../components/states.tsx'
import { useForm } from '../../components/use-form.ts'
import { formatDateTime } from '../../format/dates.ts'
import { meQuery, optionsQuery } from '../../session.ts'
import { SignedOutFrame } from './signed-out-frame.tsx'
import css from './signed-out-frame.module.css'
import { linkQuery } from './queries.ts'

export function LinkPage() {
  const [token] = useState(tokenOfAddress)
  const { data, error } = useQuery({ ...linkQuery(token), enabled: token !== '' })
  if (token === '' || error)
    return (
      <SignedOutFrame title="This link does not work">
        <p>
          {error
            ? describeFailure(error)
            : 'The address is not complete: the part after # is missing.'}
        </p>
        <p className={css['note']}>
          A link works once and for a limited time. Ask whoever sent it for a new one, or{' '}
          <Link to="/sign-in" search={{}}>
            sign in
          </Link>
          .
        </p>
      </SignedOutFrame>
    )
  if (!data) return <Loading rows={4} />
  if (data.needsSignIn) return <SignInFirst token={token} link={data} />
  return data.kind === 'SignIn' ? (
    <StraightIn token={token} />
  ) : (
    <AcceptForm token={token} link={data} />
  )
}

/** While one signs in, the token is kept in the tab: in an address it would be sent to the service. */
const KEPT = 'plimsoll-link'

/** In the fragment, which browsers send to nobody; links of the first start name it. */
function tokenOfAddress(): string {
  const fragment = decodeURIComponent(globalThis.location.hash.slice(1))
  return fragment.replace(/^token=/, '') || (sessionStorage.getItem(KEPT) ?? '')
}

/** The first visit of all goes on with the first steps. */
function useAccept(token: string, kind?: PasswordLink['kind']) {
  const navigate = useNavigate()
  const queryClient = useQueryClient()
  return useMutation({
    mutationFn: (given: { password?: string; displayName?: string }) =>
      api.post('/auth/links/accept', { body: { token, ...given } }),
    onSuccess: () => {
      sessionStorage.removeItem(KEPT)
      queryClient.clear()
      void navigate({ to: '/', search: kind === 'Setup' ? { to: 'setup' } : {}, replace: true })
    },
  })
}

function StraightIn({ token }: { token: string }) {
  const { mutate, error, isIdle } = useAccept(token)
  useEffect(() => {
    if (isIdle) mutate({})
  }, [isIdle, mutate])
  return (
    <SignedOutFrame title="Signing in">
      {error && <p role="alert">{describeFailure(error)}</p>}
    </SignedOutFrame>
  )
}

/** The account exists: only whoever signs in to it takes the invitation. */
function SignInFirst({ token, link }: { token: string; link: PasswordLink }) {
  const { data: me } = useQuery({ ...meQuery, retry: false })
  const accept = useAccept(token)
  if (me?.email === link.email)
    return (
      <SignedOutFrame title={`Join ${link.workspaceName ?? 'the workspace'}`}>
        <p>
          As {link.role ?? 'a member'}, as {me.email}.
        </p>
        <FormFault error={accept.error} />
        <Button
          kind="primary"
          size="touch"
          isBusy={accept.isPending}
          onClick={() => accept.mutate({})}
        >
          Join
        </Button>
      </SignedOutFrame>
    )
  return (
    <SignedOutFrame title="Sign in to accept">
      <p>
        This invitation to {link.workspaceName ?? 'a workspace'} is for {link.email}, who has an
        account here.
        {me && ` You are signed in as ${me.email}.`}
      </p>
      <Link
        to="/sign-in"
        search={{ returnTo: '/link' }}
        onClick={() => sessionStorage.setItem(KEPT, token)}
      >
        Sign in as {link.email}
      </Link>
    </SignedOutFrame>
  )
}

const TITLES: Record<PasswordLink['kind'], string> = {
  Setup: 'Welcome to Plimsoll',
  Invitation: 'You are invited',
  PasswordReset: 'A new password',
  SignIn: 'Signing in',
}

function AcceptForm({ token, link }: { token: string; link: PasswordLink }) {
  const { data: options } = useQuery(optionsQuery)
  const accept = useAccept(token, link.kind)
  const { save, submit, field } = useForm(
    { displayName: link.displayName ?? '', password: '' },
    {
      mutationFn: ({ displayName, password }) =>
        accept.mutateAsync({
          ...(link.needsPassword && { password }),
          ...(displayName.trim() !== '' && { displayName: displayName.trim() }),
        }),
    },
  )
  const { min, max } = options?.passwordCharacters ?? { min: 12, max: 200 }
  return (
    <SignedOutFrame title={TITLES[link.kind]}>
      <p>
        {link.workspaceName === null
          ? `For ${link.email}.`
          : `${link.email} becomes ${link.role ?? 'a member'} of ${link.workspaceName}.`}
      </p>
      <Form onSubmit={submit}>
        {link.kind !== 'PasswordReset' && (
          <TextInput label="Your name" autoComplete="name" {...field('displayName')} />
        )}
        {link.needsPassword && (
          <PasswordInput
            label="Password"
            description={`${min} to ${max} characters; a few words that only you put together are good.`}
            autoComplete="new-password"
            required
            minLength={min}
            maxLength={max}
            {...field('password')}
          />
        )}
        <FormFault error={save.error} said="" />
        <Button type="submit" kind="primary" size="touch" isBusy={save.isPending}>
          {link.kind === 'PasswordReset' ? 'Set the password' : 'Go on'}
        </Button>
      </Form>
      <p className={css['note']}>The link works until {formatDateTime(link.expiresAt)}, once.</p>
    </SignedOutFrame>
  )
}
