/** Renews, hands over and ends accepted risks: those that are selected, or all that are listed. Each says before how many change. */
import { Textarea, TextInput } from '@mantine/core'
import type { AcceptedFinding, BulkTriageOutcome } from '@plimsoll/api-client'
import { type ReactNode, useState } from 'react'
import { api } from '../../api.ts'
import { Button } from '../../components/button.tsx'
import { Choice } from '../../components/choice.tsx'
import { undoDecisions } from '../../components/decision/bulk.ts'
import { findLaterDay, readLastMoment } from '../../components/decision/terms.ts'
import { useColleagues } from '../../components/discussion/assignee.tsx'
import { useFormAct } from '../../components/form-act.ts'
import { usePerform } from '../../components/perform.ts'
import { Command, CommandDialog, usePreview } from '../../components/previewed-command.tsx'
import { formatCountOf } from '../../format/counts.ts'
import { formatDate } from '../../format/dates.ts'
import { useWorkspaceId } from '../../session.ts'
import css from './acceptances-page.module.css'

const ACTS = { renew: 'Renew', handOver: 'Hand over', end: 'End' } as const
type ActName = keyof typeof ACTS

interface ActsProps {
  rows: readonly AcceptedFinding[]
  /** Rows of the list are selected. */
  isSelection: boolean
  onDone: () => void
}

export function Acts({ rows, isSelection, onDone }: ActsProps) {
  const [act, setAct] = useState<ActName>()
  const ids = rows.map(({ findingId }) => findingId)
  const open = rows.filter(({ state }) => state !== 'Ended').map(({ findingId }) => findingId)
  const close = () => setAct(undefined)
  const props = {
    onClose: close,
    onDone: () => {
      close()
      onDone()
    },
  }
  const which = isSelection ? 'selected' : 'listed'
  return (
    <div className={css['acts']} role="group" aria-label={`What is ${which}`}>
      {(Object.keys(ACTS) as ActName[]).map((name) => {
        const { length } = name === 'renew' ? ids : open
        return (
          <Button
            key={name}
            size="small"
            aria-haspopup="dialog"
            disabled={length === 0}
            onClick={() => setAct(name)}
          >
            {ACTS[name]} {length} {which}…
          </Button>
        )
      })}
      {act === 'renew' && <Renew findingIds={ids} {...props} />}
      {act === 'handOver' && <HandOver findingIds={open} {...props} />}
      {act === 'end' && <End findingIds={open} {...props} />}
    </div>
  )
}

interface DialogProps {
  findingIds: string[]
  onClose: () => void
  onDone: () => void
}

interface ChangeProps extends DialogProps {
  title: string
  button: string
  /** What happens to so many: "until 1 Mar 2027". */
  done: string
  /** What the request depends on. */
  asked: readonly unknown[]
  /** undefined: it is not whole yet. */
  send: ((more: { dryRun: boolean }) => Promise<BulkTriageOutcome>) | undefined
  /** What happens then, in words. */
  outcome: string
  children?: ReactNode
}

/** Asks with true counts; its notice has the way back. */
function Change({ title, button, done, asked, send, outcome, children, ...props }: ChangeProps) {
  const workspaceId = useWorkspaceId()
  const perform = usePerform('findings')
  const ask = send && ((dryRun: boolean) => send({ dryRun }))
  const { preview, data } = usePreview([title, props.findingIds, ...asked], ask)
  const act = useFormAct(props.onDone)
  const many = formatCountOf(data?.changed ?? 0, 'accepted risk')
  const submit = () =>
    act.send((form) =>
      perform({
        text: `${many}: ${done}`,
        isDecision: true,
        form,
        send: async () => {
          const answer = await ask?.(false)
          const id = answer?.decisionBatchId
          if (id === undefined) return undefined
          return (tellBack) => undoDecisions(workspaceId, [id], tellBack)
        },
      }),
    )
  return (
    <CommandDialog title={title} onClose={props.onClose}>
      <Command
        preview={preview}
        act={act}
        onSubmit={submit}
        outcome={data && describeOutcome(data, outcome)}
        button={data ? `${button} ${many}` : button}
        isReady={(data?.changed ?? 0) > 0}
      >
        {children}
      </Command>
    </CommandDialog>
  )
}

/** "3 of 5 change. A condition is met already for 1 of them: those stay open. …" */
function describeOutcome(
  { matched, changed, endedAtOnce = 0 }: BulkTriageOutcome,
  outcome: string,
): string {
  if (changed === 0) return 'Nothing would change.'
  const met =
    endedAtOnce === 0
      ? ''
      : ` A condition is met already for ${endedAtOnce} of them: those stay open.`
  return `${changed} of ${matched} change. ${outcome}${met}`
}

function Renew(props: DialogProps) {
  const params = { workspaceId: useWorkspaceId() }
  const [day, setDay] = useState(() => findLaterDay(90))
  const [reason, setReason] = useState('')
  const until = readLastMoment(day)
  const said = reason.trim()
  return (
    <Change
      {...props}
      title="Renew accepted risks"
      button="Renew"
      done={`accepted until ${until === null ? '' : formatDate(until)}`}
      asked={[until, said === '']}
      outcome="Each ends then, or sooner by its conditions. What ended is ignored again."
      send={
        until === null
          ? undefined
          : (more) =>
              api.post('/workspaces/{workspaceId}/acceptances/renew', {
                params,
                body: {
                  findingIds: props.findingIds,
                  until,
                  ...(said !== '' && { reason: said }),
                  ...more,
                },
              })
      }
    >
      <TextInput
        type="date"
        label="Until the end of"
        required
        min={findLaterDay(0)}
        value={day}
        onChange={({ currentTarget }) => setDay(currentTarget.value)}
      />
      <Textarea
        autosize
        minRows={2}
        maxLength={10_000}
        label="New reason"
        description="Empty: each keeps its own."
        value={reason}
        onChange={({ currentTarget }) => setReason(currentTarget.value)}
      />
    </Change>
  )
}

function HandOver(props: DialogProps) {
  const params = { workspaceId: useWorkspaceId() }
  const colleagues = useColleagues()
  const [ownerId, setOwnerId] = useState<string | null>(null)
  const chosen = colleagues.find(({ value }) => value === ownerId)?.name ?? ''
  return (
    <Change
      {...props}
      title="Hand over accepted risks"
      button="Hand over"
      done={`${chosen} looks after them`}
      asked={[ownerId]}
      outcome={`${chosen} is told before they end, and when they have ended.`}
      send={
        ownerId === null
          ? undefined
          : (more) =>
              api.post('/workspaces/{workspaceId}/acceptances/hand-over', {
                params,
                body: { findingIds: props.findingIds, ownerId, ...more },
              })
      }
    >
      <Choice
        label="To"
        none="Choose a member"
        options={colleagues.map(({ value, name, isMe }) => ({
          value,
          text: isMe ? `${name} (you)` : name,
        }))}
        value={ownerId}
        onChange={setOwnerId}
      />
    </Change>
  )
}

function End(props: DialogProps) {
  const params = { workspaceId: useWorkspaceId() }
  return (
    <Change
      {...props}
      title="End accepted risks"
      button="End"
      done="ended"
      asked={[]}
      outcome="Their findings are open again, and count in lists, marks and the release gate."
      send={(more) =>
        api.post('/workspaces/{workspaceId}/acceptances/end', {
          params,
          body: { findingIds: props.findingIds, ...more },
        })
      }
    />
  )
}
