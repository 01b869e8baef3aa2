/** Renews, hands over and ends accepted risks: those that are selected, or all that are listed. Each says before how many change. */
import { Checkbox, Textarea, TextInput } from '@mantine/core'
import type {
  AcceptanceCounts,
  AcceptanceFilter,
  AcceptedFinding,
  BulkTriageOutcome,
} from '@plimsoll/api-client'
import { type ReactNode, useState } from 'react'
import { api } from '../../api.ts'
import { Button } from '../../components/button.tsx'
import { Choice } from '../../components/choice.tsx'
import { undoDecisions } from '../../components/decision/bulk.ts'
import { followRun } from '../../components/decision/runs.ts'
import {
  findLaterDay,
  NO_TERMS,
  readLastMoment,
  readTerms,
} from '../../components/decision/terms.ts'
import { Sooner } from '../../components/decision/terms-fields.tsx'
import { useColleagues } from '../../components/discussion/assignee.tsx'
import { useFormAct } from '../../components/form-act.ts'
import { usePerform } from '../../components/perform.ts'
import { Command, CommandDialog, usePreview } from '../../components/previewed-command.tsx'
import { formatCount, formatCountOf } from '../../format/counts.ts'
import { formatDate } from '../../format/dates.ts'
import { createUuid } from '../../keyed-fetch.ts'
import type { AcceptancesSearch } from '../../searches.ts'
import { useWorkspaceId } from '../../session.ts'
import css from './acceptances-page.module.css'
import { readFilter } from './queries.ts'

const ACTS = { renew: 'Renew', handOver: 'Hand over', end: 'End' } as const
type ActName = keyof typeof ACTS

interface ActsProps {
  /** The selected rows; empty: all that the search finds are meant, also those beyond the list. */
  selected: readonly AcceptedFinding[]
  search: AcceptancesSearch
  counts: AcceptanceCounts
  onDone: () => void
}

type Target = { findingIds: string[] } | { filter: AcceptanceFilter }

/** Only those that hold are handed over and ended. */
function chooseTarget(name: ActName, { selected, search }: ActsProps): Target {
  const isMeant = ({ state }: AcceptedFinding) => name === 'renew' || state !== 'Ended'
  if (selected.length > 0)
    return { findingIds: selected.filter(isMeant).map(({ findingId }) => findingId) }
  const filter = readFilter(search)
  return { filter: name === 'renew' ? filter : { states: ['Open', 'EndingSoon'], ...filter } }
}

function countTarget(name: ActName, { selected, search: { state }, counts }: ActsProps): number {
  if (selected.length > 0)
    return selected.filter((one) => name === 'renew' || one.state !== 'Ended').length
  const { open, endingSoon, ended } = counts
  const byState = { Open: open, EndingSoon: endingSoon, Ended: name === 'renew' ? ended : 0 }
  return state ? byState[state] : byState.Open + byState.EndingSoon + byState.Ended
}

export function Acts(all: ActsProps) {
  const { selected, onDone } = all
  // Its filter is read once, so that what is counted is what is changed.
  const [act, setAct] = useState<{ name: ActName; target: Target }>()
  const close = () => setAct(undefined)
  const props = {
    onClose: close,
    onDone: () => {
      close()
      onDone()
    },
  }
  const which = selected.length > 0 ? 'selected' : 'listed'
  return (
    <div className={css['acts']} role="group" aria-label={`What is ${which}`}>
      {(Object.keys(ACTS) as ActName[]).map((name) => {
        const count = countTarget(name, all)
        return (
          <Button
            key={name}
            size="small"
            aria-haspopup="dialog"
            disabled={count === 0}
            onClick={() => setAct({ name, target: chooseTarget(name, all) })}
          >
            {ACTS[name]} {formatCount(count)} {which}…
          </Button>
        )
      })}
      {act?.name === 'renew' && <Renew target={act.target} {...props} />}
      {act?.name === 'handOver' && <HandOver target={act.target} {...props} />}
      {act?.name === 'end' && <End target={act.target} {...props} />}
    </div>
  )
}

interface DialogProps {
  target: Target
  onClose: () => void
  onDone: () => void
}

type More = Target & { dryRun?: true; decisionBatchId?: string; expectedMatched?: number }

interface ChangeProps extends DialogProps {
  title: string
  button: string
  /** What happens to so many: "until 1 Mar 2027". */
  done: string
  /** What the request depends on. */
  asked: readonly unknown[]
  /** undefined: it is not whole yet. */
  send: ((more: More) => Promise<BulkTriageOutcome>) | undefined
  /** What happens then, in words. */
  outcome: string
  children?: ReactNode
}

/** Asks with true counts; its notice has the way back. */
function Change({ title, button, done, asked, send, outcome, children, ...props }: ChangeProps) {
  const workspaceId = useWorkspaceId()
  const perform = usePerform('findings')
  const { target } = props
  const ask = send && (() => send({ ...target, dryRun: true }))
  const { preview, data } = usePreview([title, target, ...asked], ask)
  const act = useFormAct(props.onDone)
  const many = formatCountOf(data?.changed ?? 0, 'accepted risk')
  const submit = () =>
    act.send((form) =>
      perform({
        text: `${many}: ${done}`,
        isDecision: true,
        form,
        send: async (tell) => {
          if (!send || !data) return undefined
          // Many take a while: it says how far it is, and changes what was counted or nothing.
          const decisionBatchId = createUuid()
          const more = { decisionBatchId, expectedMatched: data.matched }
          const ids = await followRun({ workspaceId, id: decisionBatchId, tell }, async () => {
            const answer = await send({ ...target, ...more })
            return answer.decisionBatchId === undefined ? [] : [decisionBatchId]
          })
          if (ids.length === 0) return undefined
          return (tellBack) => undoDecisions(workspaceId, ids, tellBack)
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
  const [changes, setChanges] = useState(false)
  const [draft, setDraft] = useState(NO_TERMS)
  const until = readLastMoment(day)
  const said = reason.trim()
  const conditions = changes ? readTerms(draft).conditions : undefined
  return (
    <Change
      {...props}
      title="Renew accepted risks"
      button="Renew"
      done={`accepted until ${until === null ? '' : formatDate(until)}`}
      asked={[until, said === '', conditions]}
      outcome="Each ends then, or sooner by its conditions. What ended is ignored again."
      send={
        until === null
          ? undefined
          : (more) =>
              api.post('/workspaces/{workspaceId}/acceptances/renew', {
                params,
                body: {
                  until,
                  ...(said !== '' && { reason: said }),
                  ...(conditions && { conditions }),
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
      <Checkbox
        label="Change what ends them sooner"
        description="Otherwise each keeps its own conditions."
        checked={changes}
        onChange={({ currentTarget }) => setChanges(currentTarget.checked)}
      />
      {changes && (
        <Sooner
          draft={draft}
          set={(some) => setDraft((old) => ({ ...old, ...some }))}
          findFault={() => undefined}
        />
      )}
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
                body: { ownerId, ...more },
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
          body: more,
        })
      }
    />
  )
}
