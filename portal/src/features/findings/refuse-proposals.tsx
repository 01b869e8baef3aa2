/** Refuses many proposals at once, with a way back. */
import type { DecisionProposal } from '@plimsoll/api-client'
import { Textarea } from '@mantine/core'
import { useState } from 'react'
import { api } from '../../api.ts'
import { Button } from '../../components/button.tsx'
import { useFormAct } from '../../components/form-act.ts'
import { Form, FormActs, FormFault } from '../../components/form.tsx'
import { usePerform } from '../../components/perform.ts'
import { CommandDialog } from '../../components/previewed-command.tsx'
import { formatCount, formatCountOf } from '../../format/counts.ts'
import { useWorkspaceId } from '../../session.ts'
import css from './proposals-page.module.css'

const PROPOSALS = '/workspaces/{workspaceId}/decision-proposals'

interface RefuseProps {
  selected: readonly DecisionProposal[]
  onDone: () => void
}

export function RefuseMany({ selected, onDone }: RefuseProps) {
  const [isOpen, setOpen] = useState(false)
  const close = () => setOpen(false)
  return (
    <div className={css['acts']}>
      <Button
        size="small"
        aria-haspopup="dialog"
        disabled={selected.length === 0}
        onClick={() => setOpen(true)}
      >
        Refuse {formatCount(selected.length)} selected…
      </Button>
      {isOpen && (
        <CommandDialog
          title={`Refuse ${formatCountOf(selected.length, 'proposal')}`}
          onClose={close}
        >
          <RefuseForm
            selected={selected}
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

/** Refused proposals can be opened again: its notice has the way back. */
function RefuseForm({ selected, onDone }: RefuseProps) {
  const workspaceId = useWorkspaceId()
  const perform = usePerform('findings')
  const act = useFormAct(onDone)
  const [reason, setReason] = useState('')
  const proposalIds = selected.map(({ id }) => id)
  const params = { workspaceId }
  const submit = () =>
    act.send((form) =>
      perform({
        text: `${formatCountOf(selected.length, 'proposal')}: refused`,
        form,
        send: async () => {
          const body = { proposalIds, reason }
          await api.post(`${PROPOSALS}/bulk-refuse`, { params, body })
          return async () => {
            const answer = await api.post(`${PROPOSALS}/bulk-reopen`, {
              params,
              body: { proposalIds },
            })
            return answer.left > 0
              ? `${formatCountOf(answer.left, 'proposal')} stayed, decided otherwise since.`
              : undefined
          }
        },
      }),
    )
  return (
    <Form onSubmit={submit} label="Refuse the proposals">
      <Textarea
        label="Why"
        description="Whoever proposed them can read this; the findings stay as they are"
        required
        data-autofocus
        autosize
        minRows={2}
        value={reason}
        onChange={(event) => setReason(event.currentTarget.value)}
      />
      <FormFault error={act.error} />
      <FormActs>
        <Button type="submit" kind="primary" disabled={reason.trim() === ''} isBusy={act.isPending}>
          Refuse {formatCountOf(selected.length, 'proposal')}
        </Button>
      </FormActs>
    </Form>
  )
}
