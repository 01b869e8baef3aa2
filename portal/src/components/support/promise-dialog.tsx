/** Until when the maker promises to support a firmware: what ends before is marked. */
import type { Firmware, WithEntityTag } from '@plimsoll/api-client'
import { TextInput } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { formatCalendarDay } from '../../format/dates.ts'
import { useMay, useWorkspaceId } from '../../session.ts'
import { firmwareQuery } from '../../workspace-queries.ts'
import { Button } from '../button.tsx'
import { Dialog } from '../dialog.tsx'
import { useFormAct } from '../form-act.ts'
import { Form, FormActs, FormFault } from '../form.tsx'
import { usePerform } from '../perform.ts'
import { putBack } from '../put-back.ts'
import { updatePromise } from './queries.ts'
import css from './support-panel.module.css'

interface PromiseProps {
  firmware: { id: string; name: string }
}

export function PromiseButton({ firmware }: PromiseProps) {
  const [isOpen, dialog] = useDisclosure(false)
  return (
    <>
      <Button size="small" aria-haspopup="dialog" onClick={dialog.open}>
        Promised support
      </Button>
      <Dialog opened={isOpen} onClose={dialog.close} title={`Promised support of ${firmware.name}`}>
        <OpenedPromise firmware={firmware} onDone={dialog.close} />
      </Dialog>
    </>
  )
}

function OpenedPromise({ firmware, onDone }: PromiseProps & { onDone: () => void }) {
  const { data, isFetchedAfterMount } = useQuery({
    ...firmwareQuery(useWorkspaceId(), firmware.id),
    // The form begins with what there is now: its undo puts that back.
    refetchOnMount: 'always',
  })
  if (!data || !isFetchedAfterMount) return <p role="status">Reading the firmware…</p>
  return <PromiseForm firmware={data} onDone={onDone} />
}

interface PromiseFormProps {
  firmware: WithEntityTag<Firmware>
  onDone: () => void
}

function PromiseForm({ firmware, onDone }: PromiseFormProps) {
  const workspaceId = useWorkspaceId()
  const mayWrite = useMay('Firmware: write')
  // What was opened: the page goes on reading the newest.
  const [opened] = useState(firmware)
  const [day, setDay] = useState(opened.supportEndsOn ?? '')
  const perform = usePerform('firmware', 'findings')
  const act = useFormAct(onDone)
  const after = day === '' ? null : day
  const save = () =>
    act.send((form) =>
      perform({
        text:
          after === null
            ? `${opened.name}: no support is promised`
            : `${opened.name}: support is promised until ${formatCalendarDay(after)}`,
        form,
        send: async () => {
          const written = await updatePromise(workspaceId, opened, after)
          return () => putBack(() => updatePromise(workspaceId, written, opened.supportEndsOn))
        },
      }),
    )
  return (
    <Form onSubmit={save} label="Promised support">
      <p className={css['note']}>
        What ends before this day is marked, and the release gate can ask for it. A release line
        with a day of its own keeps that one.
      </p>
      <TextInput
        type="date"
        label="Support is promised until"
        description="Empty: nothing is promised"
        disabled={!mayWrite}
        value={day}
        onChange={(event) => setDay(event.currentTarget.value)}
        error={act.findFault('supportEndsOn')}
      />
      <FormFault error={act.error} />
      {mayWrite && (
        <FormActs>
          <Button type="submit" kind="primary" isBusy={act.isPending}>
            {after === null ? 'Save: nothing is promised' : 'Save the day'}
          </Button>
        </FormActs>
      )}
    </Form>
  )
}
