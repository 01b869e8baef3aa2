/** What is asked before an advisory leaves the house, or is taken back. */
import { Textarea } from '@mantine/core'
import type { SecurityAdvisory, WithEntityTag } from '@plimsoll/api-client'
import { useQuery } from '@tanstack/react-query'
import { type ReactNode, useState } from 'react'
import { api } from '../../api.ts'
import { publisherQuery } from '../../components/advisories/queries.ts'
import { Button } from '../../components/button.tsx'
import { GoBack } from '../../components/dialog.tsx'
import { useFormAct } from '../../components/form-act.ts'
import { Form, FormActs, FormFault } from '../../components/form.tsx'
import { usePerform } from '../../components/perform.ts'
import { formatCountOf } from '../../format/counts.ts'
import { useMay, useWorkspaceId } from '../../session.ts'
import css from './advisories.module.css'
import { MailChoice } from './mail-choice.tsx'
import { Differences } from './revisions-panel.tsx'

const ADVISORY = '/workspaces/{workspaceId}/security-advisories/{advisoryId}'

interface Props {
  one: WithEntityTag<SecurityAdvisory>
  onDone: () => void
}

export function PublishForm({ one, onDone }: Props) {
  const workspaceId = useWorkspaceId()
  const last = one.revisions.length
  // What was asked about is published, whatever others write meanwhile.
  const [asked] = useState(one)
  const [tellContacts, setTell] = useState(true)
  return (
    <TextAct
      onDone={onDone}
      label={last === 0 ? 'Publish' : 'Publish a revision'}
      told={`${one.trackingId ?? one.title}: published`}
      field={{
        name: 'summary',
        label: 'What is new, for readers',
        first: last === 0 ? 'First publication.' : '',
      }}
      send={(summary) =>
        api.post(`${ADVISORY}/publish`, {
          params: { workspaceId, advisoryId: one.id },
          body: { summary, tellContacts },
          ifStill: asked,
        })
      }
    >
      <p>
        {last === 0
          ? 'It gets its number, which it keeps for ever. It can be withdrawn later, and never deleted.'
          : `Revision ${last + 1} takes the place of revision ${last} for readers; both are kept for ever.`}
      </p>
      <Readers one={one} />
      <MailChoice advisoryId={one.id} isOn={tellContacts} onChange={setTell} />
      <details className={css['comparison']} open>
        <summary>
          {last === 0 ? 'What readers will read' : `What it changes against revision ${last}`}
        </summary>
        <Differences one={asked} earlier={last} later={0} />
      </details>
    </TextAct>
  )
}

export function WithdrawForm({ one, onDone }: Props) {
  const workspaceId = useWorkspaceId()
  const [asked] = useState(one)
  const [tellContacts, setTell] = useState(true)
  return (
    <TextAct
      isEnding
      onDone={onDone}
      label="Withdraw"
      told={`${one.trackingId ?? one.title}: withdrawn`}
      field={{ name: 'reason', label: 'Why, for readers', first: '' }}
      send={(reason) =>
        api.post(`${ADVISORY}/withdraw`, {
          params: { workspaceId, advisoryId: one.id },
          body: { reason, tellContacts },
          ifStill: asked,
        })
      }
    >
      <p>
        A revision says that nothing of it holds any more. Programs that subscribed forget what they
        read. Earlier revisions are kept, and it can be published again.
      </p>
      <Readers one={one} />
      <MailChoice advisoryId={one.id} isOn={tellContacts} onChange={setTell} />
    </TextAct>
  )
}

/** Who will be able to read it: true now, and told before it is asked. */
function Readers({ one }: { one: SecurityAdvisory }) {
  const workspaceId = useWorkspaceId()
  const enabled = useMay('Workspace settings: read')
  const { data } = useQuery({ ...publisherQuery(workspaceId), enabled })
  if (!data) return null
  const versions = formatCountOf(one.products.length, 'version')
  const vulnerabilities = formatCountOf(
    one.vulnerabilities.length,
    'vulnerability',
    'vulnerabilities',
  )
  return (
    <p>
      It speaks of {vulnerabilities} in {versions}, as {data.publishesAs}.{' '}
      {data.isPublic ? (
        <>
          <strong>Everybody can read it at once</strong>, at <code>{data.pageUrl}</code>
        </>
      ) : (
        'The public path is off: nobody outside reads it before an owner or admin turns that on.'
      )}
    </p>
  )
}

interface TextActProps {
  label: string
  told: string
  field: { name: string; label: string; first: string }
  isEnding?: boolean
  send: (text: string) => Promise<unknown>
  onDone: () => void
  children: ReactNode
}

/** Asks for one text, and sends it. */
function TextAct({ label, told, field, isEnding = false, send, onDone, children }: TextActProps) {
  const perform = usePerform('cases')
  const sending = useFormAct(onDone)
  const [text, setText] = useState(field.first)
  const isReady = text.trim() !== '' && !sending.isPending
  const submit = () =>
    sending.send((form) =>
      perform({
        text: told,
        form,
        send: async () => {
          await send(text.trim())
          return undefined
        },
      }),
    )
  const fault = sending.findFault(field.name)
  return (
    <Form onSubmit={() => isReady && submit()} label={label}>
      {children}
      <Textarea
        label={field.label}
        required
        data-autofocus
        autosize
        minRows={2}
        maxLength={2000}
        value={text}
        error={fault}
        aria-invalid={fault !== undefined}
        onChange={({ currentTarget }) => setText(currentTarget.value)}
      />
      <FormFault error={sending.error} said="Not done." />
      <FormActs>
        <GoBack />
        <Button
          type="submit"
          kind={isEnding ? 'danger' : 'primary'}
          disabled={!isReady}
          isBusy={sending.isPending}
        >
          {label}
        </Button>
      </FormActs>
    </Form>
  )
}
