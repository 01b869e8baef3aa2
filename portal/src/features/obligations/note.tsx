/** What the team wrote about what stays with people at a point: who, by when, how, where. */
import { Textarea, TextInput } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import type { Obligation, ObligationNote, WithEntityTag } from '@plimsoll/api-client'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { Button } from '../../components/button.tsx'
import { Dialog, GoBack } from '../../components/dialog.tsx'
import { useFormAct } from '../../components/form-act.ts'
import { Form, FormActs, FormFault } from '../../components/form.tsx'
import { usePerform } from '../../components/perform.ts'
import { putBack } from '../../components/put-back.ts'
import { Failure, Loading } from '../../components/states.tsx'
import { Tag } from '../../components/tag.tsx'
import { Time } from '../../components/time.tsx'
import { formatCalendarDay } from '../../format/dates.ts'
import { useMay, useWorkspaceId } from '../../session.ts'
import css from './obligations.module.css'
import { noteQuery, writeNote, type WrittenNote } from './queries.ts'

export function Note({ point }: { point: Obligation }) {
  const mayWrite = useMay('Cases: write')
  const [isOpen, dialog] = useDisclosure(false)
  const { note, topic } = point
  return (
    <>
      {isEmpty(note) ? (
        <p className={css['unknown']}>Nobody has written who answers for it.</p>
      ) : (
        <Written note={note} />
      )}
      {mayWrite && (
        <Button
          size="small"
          aria-haspopup="dialog"
          aria-label={`${isEmpty(note) ? 'Write a note' : 'Change'}: ${topic}`}
          onClick={dialog.open}
        >
          {isEmpty(note) ? 'Write a note…' : 'Change…'}
        </Button>
      )}
      <Dialog opened={isOpen} onClose={dialog.close} title={topic}>
        <NoteNow point={point} onDone={dialog.close} />
      </Dialog>
    </>
  )
}

const isEmpty = ({ responsible, dueOn, text, link }: WrittenNote) =>
  [responsible, dueOn, text, link].every((one) => one === null)

function Written({ note }: { note: ObligationNote }) {
  const { responsible, dueOn, text, link, updatedAt } = note
  const isDue = dueOn !== null && dueOn < new Date().toISOString().slice(0, 10)
  return (
    <div className={css['note']}>
      <p>
        <b>
          <bdi>{responsible ?? 'Nobody named'}</bdi>
        </b>
        {dueOn !== null && (
          <>
            , by {formatCalendarDay(dueOn)} {isDue && <Tag tone="warn">day has passed</Tag>}
          </>
        )}
      </p>
      {text !== null && (
        <p className={css['text']}>
          <bdi>{text}</bdi>
        </p>
      )}
      {link !== null && (
        <p>
          <a href={link} rel="noreferrer noopener" target="_blank">
            <bdi>{link}</bdi>
          </a>
        </p>
      )}
      {updatedAt !== null && (
        <small>
          Written <Time at={updatedAt} />; the audit log says by whom
        </small>
      )}
    </div>
  )
}

/** The note by itself as it is now: what is saved is refused where somebody changed it since. */
function NoteNow({ point: { id, topic }, onDone }: { point: Obligation; onDone: () => void }) {
  const { data, error, refetch } = useQuery(noteQuery(useWorkspaceId(), id))
  return (
    <>
      {error && <Failure error={error} onRetry={() => void refetch()} />}
      {!data && !error && <Loading rows={4} />}
      {data && <NoteForm note={data} topic={topic} onDone={onDone} />}
    </>
  )
}

interface NoteFormProps {
  note: WithEntityTag<ObligationNote>
  topic: string
  onDone: () => void
}

function NoteForm({ note: found, topic, onDone }: NoteFormProps) {
  const [note] = useState(found)
  const [fields, setFields] = useState(() => ({
    responsible: note.responsible ?? '',
    dueOn: note.dueOn ?? '',
    text: note.text ?? '',
    link: note.link ?? '',
  }))
  const { act, save } = useSaveNote(note, topic, onDone)
  const field = (name: keyof typeof fields) => ({
    value: fields[name],
    onChange: ({ currentTarget: { value } }: { currentTarget: { value: string } }) =>
      setFields((old) => ({ ...old, [name]: value })),
    error: act.findFault(name),
  })
  return (
    <Form label={topic} onSubmit={() => save(readFields(fields))}>
      <TextInput
        label="Who answers for it"
        data-autofocus
        maxLength={200}
        {...field('responsible')}
      />
      <TextInput
        type="date"
        label="By when"
        description="It is done, or looked at again"
        {...field('dueOn')}
      />
      <Textarea
        label="How it is met"
        autosize
        minRows={3}
        maxRows={12}
        maxLength={4000}
        {...field('text')}
      />
      <TextInput
        label="Where that is kept"
        description="An address, such as of the risk assessment"
        placeholder="https://"
        maxLength={2000}
        {...field('link')}
      />
      <FormFault error={act.error} />
      <FormActs>
        <GoBack />
        <Button type="submit" kind="primary" isBusy={act.isPending}>
          Save note
        </Button>
      </FormActs>
    </Form>
  )
}

const readFields = (fields: Record<keyof WrittenNote, string>): WrittenNote => ({
  responsible: readText(fields.responsible),
  dueOn: readText(fields.dueOn),
  text: readText(fields.text),
  link: readText(fields.link),
})
const readText = (text: string) => (text.trim() === '' ? null : text.trim())

/** Sends it; the notice has the way back. */
function useSaveNote(note: WithEntityTag<ObligationNote>, topic: string, onDone: () => void) {
  const workspaceId = useWorkspaceId()
  const perform = usePerform('cases')
  const act = useFormAct(onDone)
  const save = (body: WrittenNote) =>
    act.send((form) =>
      perform({
        text: `${topic}: note written`,
        form,
        send: async () => {
          const written = await writeNote(workspaceId, body, note)
          const { responsible, dueOn, text, link } = note
          return () =>
            putBack(() => writeNote(workspaceId, { responsible, dueOn, text, link }, written))
        },
      }),
    )
  return { act, save }
}
