/** What can be done with the selected incidents. Each act says before how many it changes, and can be taken back as a whole. */
import { Select, Textarea } from '@mantine/core'
import type { BodyOf } from '@plimsoll/api-client'
import { type ReactNode, useState } from 'react'
import { api } from '../../api.ts'
import { Button } from '../../components/button.tsx'
import { useColleagues } from '../../components/discussion/assignee.tsx'
import { type FormAct, useFormAct } from '../../components/form-act.ts'
import { useKeys } from '../../components/keyboard.ts'
import { usePerform } from '../../components/perform.ts'
import { Command, CommandDialog, usePreview } from '../../components/previewed-command.tsx'
import { SelectionBar } from '../../components/selection-bar.tsx'
import type { ListTotal, Selection } from '../../components/selection.ts'
import { formatCount, formatCountOf } from '../../format/counts.ts'
import { useWorkspaceId } from '../../session.ts'
import type { IncidentFilter } from './queries.ts'
import {
  beginSilence,
  describeSilence,
  HOUR,
  readSilence,
  SilenceFields,
} from './silence-fields.tsx'

const BULK = '/workspaces/{workspaceId}/alert-incidents/bulk-handle'

const TITLES = {
  acknowledge: 'Acknowledge incidents',
  assign: 'Change who looks after incidents',
  silence: 'Silence incidents',
}
type Act = keyof typeof TITLES

type Body = BodyOf<'handleAlertIncidents'>

interface SelectedIncidentsProps {
  selection: Selection
  filter: IncidentFilter
  total: ListTotal
}

export function SelectedIncidents({ selection, filter, total }: SelectedIncidentsProps) {
  const [act, setAct] = useState<Act>()
  useKeys([['Escape', selection.clear]])
  const target = selection.isAll ? { filter } : { alertIncidentIds: [...selection.keys] }
  const close = () => setAct(undefined)
  const form = {
    target,
    onDone: () => {
      close()
      selection.clear()
    },
  }
  const button = (name: Act, text: string) => (
    <Button size="small" aria-haspopup="dialog" onClick={() => setAct(name)}>
      {text}
    </Button>
  )
  return (
    <SelectionBar selection={selection} total={total}>
      {filter.isOpen === true && button('acknowledge', 'Acknowledge…')}
      {button('assign', 'Assign…')}
      {filter.isOpen === true && button('silence', 'Silence…')}
      {act && (
        <CommandDialog title={TITLES[act]} onClose={close}>
          {act === 'acknowledge' && <AcknowledgeForm {...form} />}
          {act === 'assign' && <AssignForm {...form} />}
          {act === 'silence' && <SilenceForm {...form} />}
        </CommandDialog>
      )}
    </SelectionBar>
  )
}

interface FormProps {
  target: Pick<Body, 'alertIncidentIds' | 'filter'>
  onDone: () => void
}

type Change = Pick<Body, 'acknowledge' | 'assign' | 'silence'>

interface HandleFormProps extends FormProps {
  /** Changes as many as it will; undefined: it is not whole yet. */
  counted: Change | undefined
  read: () => Change
  button: string
  /** Behind "2 of 3 incidents". */
  outcome: string
  /** Where no incident changes. */
  none: string
  /** What stands there until it is whole. */
  ask?: string
  /** Of the notice, behind "2 incidents". */
  done: string
  isReady?: boolean
  /** The fields. */
  children: (findFault: FormAct['findFault']) => ReactNode
}

function HandleForm(props: HandleFormProps) {
  const { target, onDone, counted, read, button, outcome, none, ask, done, children } = props
  const workspaceId = useWorkspaceId()
  const params = { workspaceId }
  const send = (body: Body) => api.post(BULK, { params, body: { ...target, ...body } })
  const { preview, data } = usePreview(
    ['incidents', target, counted],
    counted && ((dryRun) => send({ ...counted, dryRun })),
  )
  // The count is read again where others would change by now.
  const perform = usePerform('alerts', 'preview')
  const act = useFormAct(onDone)
  const { matched = 0, changed = 0 } = data ?? {}
  const submit = () =>
    act.send((form) =>
      perform({
        form,
        text: `${formatCountOf(changed, 'incident')}: ${done}`,
        // If others would change by now, it changes none, and says so.
        send: async () => {
          const { alertIncidentBatchId } = await send({
            ...read(),
            expectedChanged: changed,
          })
          return alertIncidentBatchId === null
            ? undefined
            : () => undo({ workspaceId, alertIncidentBatchId })
        },
      }),
    )
  const count = `${formatCount(changed)} of ${formatCountOf(matched, 'incident')}`
  return (
    <Command
      {...{ preview, act }}
      onSubmit={submit}
      button={changed > 0 ? `${button} ${formatCountOf(changed, 'incident')}` : button}
      isReady={changed > 0 && props.isReady !== false}
      outcome={data ? <p>{changed > 0 ? `${count} ${outcome}` : none}</p> : ask}
    >
      {children(act.findFault)}
    </Command>
  )
}

async function undo(params: { workspaceId: string; alertIncidentBatchId: string }) {
  const { left } = await api.post(`${BULK}/{alertIncidentBatchId}/undo`, { params })
  return left === 0
    ? undefined
    : `${formatCountOf(left, 'incident')} stayed: changed since, or what was before is gone.`
}

function AcknowledgeForm(props: FormProps) {
  const [note, setNote] = useState('')
  const text = note.trim()
  return (
    <HandleForm
      {...props}
      counted={{ acknowledge: {} }}
      read={() => ({ acknowledge: text === '' ? {} : { note: text } })}
      button="Acknowledge"
      outcome={`will be acknowledged: reminders stop until they end.${text === '' ? '' : ' The note replaces the one of each.'}`}
      none="None of them waits for an acknowledgement: each has one, or has ended."
      done={`acknowledged${text === '' ? '' : ' with a note'}`}
    >
      {(findFault) => (
        <Textarea
          label="Note"
          description="For all of them; may be left empty."
          data-autofocus
          autosize
          minRows={2}
          maxLength={10_000}
          value={note}
          error={findFault('note')}
          onChange={(event) => setNote(event.currentTarget.value)}
        />
      )}
    </HandleForm>
  )
}

const NOBODY = 'nobody'

function AssignForm(props: FormProps) {
  const colleagues = useColleagues()
  const [chosen, setChosen] = useState<string | null>(null)
  const name = colleagues.find(({ value }) => value === chosen)?.name ?? NOBODY
  const assign = { subjectId: chosen === NOBODY ? null : chosen }
  return (
    <HandleForm
      {...props}
      counted={chosen === null ? undefined : { assign }}
      read={() => ({ assign })}
      button="Assign"
      ask="Choose who looks after them."
      outcome={`will change: ${name} looks after them.${assign.subjectId === null ? '' : ' One mail tells of all.'}`}
      none={`It is so already: ${name} looks after each of them.`}
      done={`${name} looks after them`}
    >
      {(findFault) => (
        <Select
          label="Who looks after them"
          data={[
            ...colleagues.map((one) => ({
              value: one.value,
              label: one.isMe ? `${one.name} (you)` : one.name,
            })),
            { value: NOBODY, label: 'Nobody' },
          ]}
          value={chosen}
          error={findFault('subjectId')}
          onChange={setChosen}
          searchable
        />
      )}
    </HandleForm>
  )
}

function SilenceForm(props: FormProps) {
  const [values, setValues] = useState(beginSilence)
  const { isWhole, untilText } = describeSilence(values)
  // How many they are is known before a reason is.
  const [counted] = useState(() => ({
    silence: { until: new Date(Date.now() + HOUR).toISOString(), reason: 'a count' },
  }))
  return (
    <HandleForm
      {...props}
      counted={counted}
      read={() => ({ silence: readSilence(values) })}
      button="Silence"
      outcome={`will be silenced until ${untilText}, ${values.covers === 'Rule' ? 'each with all of its rule' : 'each with what fired in it'}: nobody is told.`}
      none="None of them is firing any more."
      done={`silenced until ${untilText}`}
      isReady={isWhole}
    >
      {(findFault) => (
        <SilenceFields
          {...{ values, findFault }}
          change={(changes) => setValues({ ...values, ...changes })}
        />
      )}
    </HandleForm>
  )
}
