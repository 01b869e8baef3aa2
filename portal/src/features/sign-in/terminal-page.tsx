/** A program in a terminal asks to act for whoever is signed in: who asks, what it may do, and for how long. */
import { Checkbox, Select, TextInput } from '@mantine/core'
import type { BodyOf, MyWorkspace, TerminalLogin } from '@plimsoll/api-client'
import { useMutation, useSuspenseQuery } from '@tanstack/react-query'
import { Link, useSearch } from '@tanstack/react-router'
import { useState } from 'react'
import { api } from '../../api.ts'
import { Button } from '../../components/button.tsx'
import { Form, FormActs, FormFault } from '../../components/form.tsx'
import { Time } from '../../components/time.tsx'
import { meQuery, workspacesQuery } from '../../session.ts'
import { SignedOutFrame } from './signed-out-frame.tsx'
import css from './signed-out-frame.module.css'

type Approval = BodyOf<'approveTerminalLogin'>

export function TerminalPage() {
  const { code = '' } = useSearch({ from: '/terminal' })
  const [userCode, setUserCode] = useState(code)
  const read = useMutation({
    mutationFn: () => api.post('/me/terminal-logins/read', { body: { userCode } }),
  })
  if (read.data) return <Decision asking={read.data} />
  const submit = () => read.mutate()
  return (
    <SignedOutFrame title="Log in a terminal">
      <p>
        The command <code>plimsoll login</code> shows a code. Enter it here, or compare it.
      </p>
      <Form onSubmit={submit}>
        <TextInput
          label="Code"
          placeholder="WDJB-MJHT"
          required
          autoFocus
          autoComplete="off"
          spellCheck={false}
          maxLength={40}
          value={userCode}
          onChange={(event) => setUserCode(event.currentTarget.value.toUpperCase())}
        />
        <FormFault error={read.error} said="" />
        <Button type="submit" kind="primary" size="touch" isBusy={read.isPending}>
          Go on
        </Button>
      </Form>
      <SignedInAs />
    </SignedOutFrame>
  )
}

function SignedInAs() {
  const { data: me } = useSuspenseQuery(meQuery)
  return <p className={css['note']}>You are signed in as {me.email}.</p>
}

function Decision({ asking }: { asking: TerminalLogin }) {
  const { userCode } = asking
  const approve = useMutation({
    mutationFn: (body: Approval) => api.post('/me/terminal-logins/approve', { body }),
  })
  const refuse = useMutation({
    mutationFn: () => api.post('/me/terminal-logins/refuse', { body: { userCode } }),
  })
  if (approve.isSuccess || refuse.isSuccess) return <Done isApproved={approve.isSuccess} />
  return (
    <SignedOutFrame title="Let this terminal act for you?">
      <Asked asking={asking} />
      <Grant
        userCode={userCode}
        error={approve.error ?? refuse.error}
        isBusy={approve.isPending || refuse.isPending}
        onApprove={(body) => approve.mutate(body)}
        onRefuse={() => refuse.mutate()}
      />
      <SignedInAs />
    </SignedOutFrame>
  )
}

function Asked({
  asking: { userCode, client, host, address, createdAt },
}: {
  asking: TerminalLogin
}) {
  return (
    <>
      <p className={css['code']} aria-label="Code">
        {userCode}
      </p>
      <dl className={css['facts']}>
        <dt>Host</dt>
        <dd>{host}</dd>
        <dt>Program</dt>
        <dd>{client}</dd>
        <dt>Asks from</dt>
        <dd>
          {address}, <Time at={createdAt} />
        </dd>
      </dl>
      <p className={css['warning']}>
        Approve only if you began this yourself and your terminal shows the same code. Host and
        program are what it says of itself.
      </p>
    </>
  )
}

function Done({ isApproved }: { isApproved: boolean }) {
  return (
    <SignedOutFrame title={isApproved ? 'Approved' : 'Refused'}>
      <p role="status">
        {isApproved
          ? 'The terminal goes on within a few seconds. You can close this page.'
          : 'The terminal gets no key. If you did not begin this, somebody sent you here.'}
      </p>
      <Link to="/" search={{}}>
        To the overview
      </Link>
    </SignedOutFrame>
  )
}

const DAY_MS = 86_400_000
const LIFETIMES = [
  { value: '1', label: 'a day' },
  { value: '30', label: '30 days' },
  { value: '90', label: '90 days' },
  { value: '365', label: 'a year' },
]

interface GrantProps {
  userCode: string
  error: unknown
  isBusy: boolean
  onApprove: (body: Approval) => void
  onRefuse: () => void
}

const EXTENTS = [
  { value: 'all', label: 'all that I may do' },
  { value: 'read', label: 'read only' },
  { value: 'some', label: 'what I choose' },
]

function Grant({ userCode, error, isBusy, onApprove, onRefuse }: GrantProps) {
  const { data: workspaces } = useSuspenseQuery(workspacesQuery)
  const [workspaceId, setWorkspaceId] = useState(workspaces[0]?.id ?? '')
  const [extent, setExtent] = useState('all')
  const [chosen, setChosen] = useState<readonly string[]>([])
  const [days, setDays] = useState('90')
  const workspace = workspaces.find(({ id }) => id === workspaceId)
  const scopes = scopesOf(workspace, extent, chosen)
  const submit = () => {
    const expiresAt = new Date(Date.now() + Number(days) * DAY_MS).toISOString()
    onApprove({ userCode, workspaceId, scopes, expiresAt })
  }
  return (
    <Form onSubmit={submit} label="Decision">
      <Select
        label="Workspace"
        data={workspaces.map(({ id, name }) => ({ value: id, label: name }))}
        value={workspaceId}
        onChange={(value) => setWorkspaceId(value ?? workspaceId)}
        allowDeselect={false}
      />
      <Select
        label="It may"
        data={EXTENTS}
        value={extent}
        onChange={(value) => setExtent(value ?? 'all')}
        allowDeselect={false}
      />
      {extent === 'some' && (
        <ScopeBoxes scopes={workspace?.scopes ?? []} chosen={chosen} onChange={setChosen} />
      )}
      <Select
        label="For"
        data={LIFETIMES}
        value={days}
        onChange={(value) => setDays(value ?? '90')}
        allowDeselect={false}
      />
      <FormFault error={error} said="Not done." />
      <FormActs>
        <Button kind="danger" size="touch" isBusy={isBusy} onClick={onRefuse}>
          Refuse
        </Button>
        <Button
          type="submit"
          kind="primary"
          size="touch"
          isBusy={isBusy}
          disabled={scopes.length === 0}
        >
          Approve
        </Button>
      </FormActs>
    </Form>
  )
}

function scopesOf(
  workspace: MyWorkspace | undefined,
  extent: string,
  chosen: readonly string[],
): Approval['scopes'] {
  const mine = workspace?.scopes ?? []
  if (extent === 'all') return mine
  return mine.filter((scope) =>
    extent === 'read' ? scope.endsWith(': read') : chosen.includes(scope),
  )
}

function ScopeBoxes({
  scopes,
  chosen,
  onChange,
}: {
  scopes: readonly string[]
  chosen: readonly string[]
  onChange: (chosen: readonly string[]) => void
}) {
  return (
    <fieldset className={css['scopes']}>
      <legend>Scopes</legend>
      {scopes.map((scope) => (
        <Checkbox
          key={scope}
          label={scope}
          checked={chosen.includes(scope)}
          onChange={(event) =>
            onChange(
              event.currentTarget.checked
                ? [...chosen, scope]
                : chosen.filter((one) => one !== scope),
            )
          }
        />
      ))}
    </fieldset>
  )
}
