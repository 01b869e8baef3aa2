/** Dismisses proposals and watched cases together, such as those that were listed before reports were due. */
import { Textarea } from '@mantine/core'
import type { CaseSummary } from '@plimsoll/api-client'
import { useState } from 'react'
import { api } from '../../api.ts'
import { Button } from '../../components/button.tsx'
import { useFormAct } from '../../components/form-act.ts'
import { Form, FormActs, FormFault } from '../../components/form.tsx'
import { usePerform } from '../../components/perform.ts'
import { CommandDialog } from '../../components/previewed-command.tsx'
import { formatCount, formatCountOf } from '../../format/counts.ts'
import { useWorkspaceId } from '../../session.ts'
import css from './cases.module.css'

interface DismissProps {
  selected: readonly CaseSummary[]
  onDone: () => void
}

/** A case whose clocks run is looked at by itself. */
const canBeDismissed = ({ state }: CaseSummary) => state === 'Proposed' || state === 'Watching'

export function DismissMany({ selected, onDone }: DismissProps) {
  const [isOpen, setOpen] = useState(false)
  const close = () => setOpen(false)
  const cases = selected.filter(canBeDismissed)
  return (
    <div className={`${css['acts']} ${css['selected']}`}>
      <Button
        size="small"
        aria-haspopup="dialog"
        disabled={cases.length === 0}
        onClick={() => setOpen(true)}
      >
        Dismiss {formatCount(cases.length)} selected…
      </Button>
      {selected.length > cases.length && (
        <span className={css['note']}>
          {formatCountOf(selected.length - cases.length, 'case')} with running clocks, or ended,
          stay as they are.
        </span>
      )}
      {isOpen && (
        <CommandDialog title={`Dismiss ${formatCountOf(cases.length, 'case')}`} onClose={close}>
          <DismissForm
            selected={cases}
            onDone={() => {
              close()
              onDone()
            }}
          />
        </CommandDialog>
      )}
    </div>
  )
}

function DismissForm({ selected, onDone }: DismissProps) {
  const workspaceId = useWorkspaceId()
  const perform = usePerform('cases')
  const act = useFormAct(onDone)
  const [reason, setReason] = useState('')
  const many = formatCountOf(selected.length, 'case')
  const submit = () =>
    act.send((form) =>
      perform({
        text: `${many}: dismissed`,
        form,
        send: async () => {
          await api.post('/workspaces/{workspaceId}/cases/dismiss', {
            params: { workspaceId },
            body: { caseIds: selected.map(({ id }) => id), reason: reason.trim() },
          })
          return undefined
        },
      }),
    )
  return (
    <Form onSubmit={submit} label="Dismiss the cases">
      <p>Nothing is to be reported about them. Each can be reopened on its page.</p>
      <Textarea
        label="Because"
        description="Stands in each of them"
        required
        data-autofocus
        autosize
        minRows={2}
        maxLength={4000}
        value={reason}
        onChange={(event) => setReason(event.currentTarget.value)}
      />
      <FormFault error={act.error} said="Not dismissed." />
      <FormActs>
        <Button type="submit" kind="danger" disabled={reason.trim() === ''} isBusy={act.isPending}>
          Dismiss {many}
        </Button>
      </FormActs>
    </Form>
  )
}
