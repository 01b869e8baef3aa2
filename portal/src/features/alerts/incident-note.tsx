/** What is done about an incident, or was: one note, for everybody who opens it. */
import type { AlertIncident } from '@plimsoll/api-client'
import { Textarea } from '@mantine/core'
import { useState } from 'react'
import { api } from '../../api.ts'
import { Button } from '../../components/button.tsx'
import { useDraft } from '../../components/draft.ts'
import { usePerform, writeValue } from '../../components/perform.ts'
import { useMay, useWorkspaceId } from '../../session.ts'
import { useAcknowledge } from './acknowledge.tsx'
import css from './alerts.module.css'

const INCIDENT = '/workspaces/{workspaceId}/alert-incidents/{incidentId}'

/** Its field, for who comes from elsewhere on the page. */
export const INCIDENT_NOTE = 'incident-note'

export function IncidentNote({ incident }: { incident: AlertIncident }) {
  const { note, alertRule } = incident
  const workspaceId = useWorkspaceId()
  const mayWrite = useMay('Alerts: write')
  const acknowledge = useAcknowledge(incident)
  const perform = usePerform('alerts')
  const [draft, setDraft] = useDraft(`incident.${incident.id}`)
  // The note over which somebody began to type.
  const [typedOver, setTypedOver] = useState(note)
  const kept = note ?? ''
  const text = (draft ?? kept).trim()
  const isChanged = draft !== undefined && text !== kept
  if (!mayWrite) return null
  const params = { workspaceId, incidentId: incident.id }
  const save = () =>
    perform({
      text: `Incident of ${alertRule.name}: ${text === '' ? 'no note any more' : 'noted'}`,
      send: () =>
        writeValue({
          before: note,
          after: text === '' ? null : text,
          read: async () => (await api.get(INCIDENT, { params })).note,
          write: (value) => api.put(`${INCIDENT}/note`, { params, body: { note: value } }),
        }),
    })
  /** What was typed stays where it is until it is kept. */
  const keep = async (send: () => Promise<boolean>) => {
    if (await send()) setDraft(undefined)
  }
  return (
    <form
      className={css['noteForm']}
      aria-label="Note"
      data-kept
      onSubmit={(event) => {
        event.preventDefault()
        if (isChanged) void keep(save)
      }}
    >
      <Textarea
        id={INCIDENT_NOTE}
        aria-label="What is done about it"
        placeholder="What is done about it, or was"
        autosize
        minRows={2}
        maxLength={10_000}
        value={draft ?? kept}
        onChange={({ currentTarget: { value } }) => {
          if (draft === undefined) setTypedOver(note)
          setDraft(value === kept ? undefined : value)
        }}
      />
      {isChanged && note !== typedOver && <TheirNote note={note} />}
      <div className={css['acts']}>
        {acknowledge && isChanged && text !== '' && (
          <Button size="small" onClick={() => void keep(() => acknowledge(text))}>
            Acknowledge with it
          </Button>
        )}
        <Button size="small" type="submit" disabled={!isChanged}>
          Save note
        </Button>
      </div>
    </form>
  )
}

function TheirNote({ note }: Pick<AlertIncident, 'note'>) {
  return (
    <p role="status">
      {note === null ? 'Somebody took the note away' : `Somebody wrote “${note}”`} meanwhile. What
      you save takes its place.
    </p>
  )
}
