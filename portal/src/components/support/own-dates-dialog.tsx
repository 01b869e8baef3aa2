/** Ends of support that the workspace states itself: its word comes before what the source says. */
import type { SupportStatement, WithEntityTag } from '@plimsoll/api-client'
import { Checkbox, TextInput } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useMay, useWorkspaceId } from '../../session.ts'
import { Button } from '../button.tsx'
import { Dialog } from '../dialog.tsx'
import { type FormAct, useFormAct } from '../form-act.ts'
import { Form, FormActs, FormFault } from '../form.tsx'
import { usePerform } from '../perform.ts'
import { IT_STAYED, putBack } from '../put-back.ts'
import { Failure } from '../states.tsx'
import {
  describeOwnDate,
  describeOwnEnd,
  nameOwnDate,
  type OwnDateDraft,
  readOwnDate,
  restoreOwnDate,
  writeOwnDate,
} from './own-dates.ts'
import {
  createOwnDate,
  deleteOwnDate,
  ownDateQuery,
  ownDatesQuery,
  replaceOwnDate,
  takeBackOwnDate,
} from './queries.ts'
import css from './support-panel.module.css'

export interface OpenedDates {
  /** What a new date begins with. */
  draft: OwnDateDraft
  /** The one that was opened. */
  statementId: string | null
}

interface OwnDatesProps {
  opened: OpenedDates | undefined
  onClose: () => void
}

export function OwnDatesDialog({ opened, onClose }: OwnDatesProps) {
  return (
    <Dialog opened={opened !== undefined} onClose={onClose} title="Dates of your own">
      {opened && <OwnDates opened={opened} onDone={onClose} />}
    </Dialog>
  )
}

function OwnDates({ opened, onDone }: { opened: OpenedDates; onDone: () => void }) {
  const mayWrite = useMay('SBOMs: write')
  const { data, isFetchedAfterMount } = useQuery(ownDatesQuery(useWorkspaceId()))
  const [chosenId, setChosenId] = useState(opened.statementId)
  if (!data || !isFetchedAfterMount) return <p role="status">Reading the dates…</p>
  const { statements } = data
  const isChosen = statements.some(({ id }) => id === chosenId)
  return (
    <>
      <p className={css['note']}>
        For vendors’ SDKs, board support packages and contracts. They hold in all versions of this
        workspace, and come before what endoflife.date says. Of several, the newest counts.
      </p>
      <ul className={css['dates']} aria-label="Dates of your own">
        {statements.map((one) => (
          <li key={one.id}>
            <span>
              <strong>{nameOwnDate(one)}</strong> {describeOwnDate(one)}
            </span>
            {mayWrite && one.id !== chosenId && (
              <Button
                size="small"
                aria-label={`Change ${nameOwnDate(one)}`}
                onClick={() => setChosenId(one.id)}
              >
                Change
              </Button>
            )}
          </li>
        ))}
        {statements.length === 0 && <li>None is stated yet.</li>}
      </ul>
      {mayWrite && chosenId !== null && isChosen && (
        <OpenedDate key={chosenId} statementId={chosenId} onDone={onDone} />
      )}
      {mayWrite && !isChosen && (
        <OwnDateForm statement={undefined} first={opened.draft} onDone={onDone} />
      )}
    </>
  )
}

/** Reads it by itself as it is now: what is saved is refused where somebody changed it since. */
function OpenedDate({ statementId, onDone }: { statementId: string; onDone: () => void }) {
  const { data, error, refetch } = useQuery(ownDateQuery(useWorkspaceId(), statementId))
  if (error) return <Failure error={error} onRetry={() => void refetch()} />
  if (!data) return <p role="status">Reading the date…</p>
  return <OwnDateForm statement={data} first={readOwnDate(data)} onDone={onDone} />
}

interface OwnDateFormProps {
  /** undefined: a new one. */
  statement: WithEntityTag<SupportStatement> | undefined
  first: OwnDateDraft
  onDone: () => void
}

function OwnDateForm({ statement, first, onDone }: OwnDateFormProps) {
  // What was opened: the list goes on reading the newest.
  const [opened] = useState(statement)
  const [draft, setDraft] = useState(first)
  const act = useFormAct(onDone)
  const { save, remove } = useOwnDateActs(opened, act)
  const set = (changed: Partial<OwnDateDraft>) => setDraft((old) => ({ ...old, ...changed }))
  return (
    <Form
      onSubmit={() => save(draft)}
      label={opened ? `Change ${nameOwnDate(opened)}` : 'State an end of support'}
    >
      <TextInput
        label="Component"
        description="A name, or a purl without version: pkg:github/acme/sdk"
        required
        value={draft.component}
        onChange={(event) => set({ component: event.currentTarget.value })}
        error={act.findFault('name') ?? act.findFault('purl')}
      />
      <div className={css['range']}>
        <TextInput
          label="From version"
          description="Empty: from the first"
          value={draft.versionFrom}
          onChange={(event) => set({ versionFrom: event.currentTarget.value })}
          error={act.findFault('versionFrom')}
        />
        <TextInput
          label="Before version"
          description="Empty: all later ones"
          value={draft.versionBefore}
          onChange={(event) => set({ versionBefore: event.currentTarget.value })}
          error={act.findFault('versionBefore')}
        />
      </div>
      <TextInput
        type="date"
        label="First day without fixes"
        required={!draft.isWithoutEnd}
        disabled={draft.isWithoutEnd}
        value={draft.isWithoutEnd ? '' : draft.endsOn}
        onChange={(event) => set({ endsOn: event.currentTarget.value })}
        error={act.findFault('endsOn')}
      />
      <Checkbox
        label="No end is planned"
        checked={draft.isWithoutEnd}
        onChange={(event) => set({ isWithoutEnd: event.currentTarget.checked })}
      />
      <TextInput
        label="Link"
        description="Where that is said"
        value={draft.link}
        onChange={(event) => set({ link: event.currentTarget.value })}
        error={act.findFault('link')}
      />
      <TextInput
        label="Note"
        value={draft.note}
        onChange={(event) => set({ note: event.currentTarget.value })}
        error={act.findFault('note')}
      />
      <FormFault error={act.error} />
      <FormActs>
        {opened && (
          <Button kind="danger" onClick={remove}>
            Remove
          </Button>
        )}
        <Button type="submit" kind="primary" isBusy={act.isPending}>
          {opened ? 'Save' : 'State this end'}
        </Button>
      </FormActs>
    </Form>
  )
}

function useOwnDateActs(opened: OwnDateFormProps['statement'], act: FormAct) {
  const workspaceId = useWorkspaceId()
  const perform = usePerform('findings', 'sboms')
  const save = (draft: OwnDateDraft) => {
    const body = writeOwnDate(draft)
    act.send((form) =>
      perform({
        text: `${nameOwnDate(body)}: ${describeOwnEnd(body)}`,
        form,
        send: async () => {
          if (!opened) {
            const created = await createOwnDate(workspaceId, body)
            return async () =>
              (await takeBackOwnDate(workspaceId, created)) ? IT_STAYED : undefined
          }
          const written = await replaceOwnDate(workspaceId, opened, body)
          return () => putBack(() => replaceOwnDate(workspaceId, written, restoreOwnDate(opened)))
        },
      }),
    )
  }
  const remove = () => {
    if (!opened) return
    act.send((form) =>
      perform({
        text: `Removed the date of ${nameOwnDate(opened)}`,
        form,
        send: async () => {
          await deleteOwnDate(workspaceId, opened)
          return async () => {
            await createOwnDate(workspaceId, restoreOwnDate(opened))
            return 'It is back as the newest of your dates.'
          }
        },
      }),
    )
  }
  return { save, remove }
}
