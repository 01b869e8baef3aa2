/** Silences of an incident: those that last, with their end, and the form of another one. */
import type { AlertIncident, AlertSilence } from '@plimsoll/api-client'
import { useQuery } from '@tanstack/react-query'
import { useRef } from 'react'
import { api } from '../../api.ts'
import { Button } from '../../components/button.tsx'
import { FormFault } from '../../components/form.tsx'
import { useKeys } from '../../components/keyboard.ts'
import { Panel } from '../../components/panel.tsx'
import { usePerform } from '../../components/perform.ts'
import { Failure } from '../../components/states.tsx'
import { Time } from '../../components/time.tsx'
import { useForm } from '../../components/use-form.ts'
import { formatCountOf } from '../../format/counts.ts'
import { useMay, useWorkspaceId } from '../../session.ts'
import css from './alerts.module.css'
import { silencesQuery } from './queries.ts'
import { chooseNouns } from './rule-words.ts'
import {
  beginSilence,
  describeSilence,
  type NewSilence,
  readSilence,
  SilenceFields,
} from './silence-fields.tsx'

export function SilencePanel({ incident }: { incident: AlertIncident }) {
  const workspaceId = useWorkspaceId()
  const mayWrite = useMay('Alerts: write')
  const { data, error } = useQuery(silencesQuery(workspaceId, { alertIncidentId: incident.id }))
  const active = data?.filter(({ isActive }) => isActive) ?? []
  if (!mayWrite && active.length === 0 && !error) return null
  return (
    <Panel title="Silence" note="it still records, and tells nobody">
      {error && <Failure error={error} />}
      {active.length > 0 && (
        <ul className={css['silences']}>
          {active.map((silence) => (
            <ActiveSilence key={silence.id} silence={silence} incident={incident} />
          ))}
        </ul>
      )}
      {active.length > 0 && incident.endedAt === null && incident.silencedUntil === null && (
        <p className={css['warning']}>Something else is firing beside it: people are told.</p>
      )}
      {mayWrite && <SilenceForm incident={incident} />}
    </Panel>
  )
}

interface ActiveSilenceProps {
  silence: AlertSilence
  incident: AlertIncident
}

function ActiveSilence({ silence, incident }: ActiveSilenceProps) {
  const mayWrite = useMay('Alerts: write')
  const { end } = useSilence(incident)
  const { until, reason, createdByEmail } = silence
  return (
    <li>
      <span>
        {describeCovered(silence, incident)} until <Time at={until} as="dateTime" />: {reason}
        <span className={css['note']}> {createdByEmail ?? 'an API key'}</span>
      </span>
      {mayWrite && (
        <Button size="small" onClick={() => void end(silence)}>
          End it
        </Button>
      )}
    </li>
  )
}

/** "3 devices", or "All of the rule" */
export function describeCovered(
  { seriesCount }: Pick<AlertSilence, 'seriesCount'>,
  incident: AlertIncident,
): string {
  const [one, many] = chooseNouns(incident)
  return seriesCount === null ? 'All of the rule' : formatCountOf(seriesCount, one, many)
}

/** Both acts, each with the other as its way back. A form begins one, and its faults stay in the form. */
function useSilence(incident: AlertIncident) {
  const workspaceId = useWorkspaceId()
  const perform = usePerform('alerts')
  const { alertRule } = incident
  const write = (incidentId: string, body: NewSilence) =>
    api.post('/workspaces/{workspaceId}/alert-incidents/{incidentId}/silence', {
      params: { workspaceId, incidentId },
      body,
    })
  const finish = (silenceId: string) =>
    api.post('/workspaces/{workspaceId}/alert-silences/{silenceId}/end', {
      params: { workspaceId, silenceId },
    })
  return {
    /** Answers with the way back. */
    begin: async (body: NewSilence) => {
      const { id } = await write(incident.id, body)
      return async () => {
        await finish(id)
        return undefined
      }
    },
    toldBegun: (undo: () => Promise<undefined>, untilText: string) =>
      void perform({
        text: `${alertRule.name}: silenced until ${untilText}`,
        send: () => Promise.resolve(undo),
      }),
    end: ({ id, alertIncidentId, until, reason, covers }: AlertSilence) =>
      perform({
        text: `${alertRule.name}: people are told again`,
        send: async () => {
          await finish(id)
          return async () => {
            await write(alertIncidentId, { until, reason, covers })
            return undefined
          }
        },
      }),
  }
}

function SilenceForm({ incident }: { incident: AlertIncident }) {
  const { begin, toldBegun } = useSilence(incident)
  const reasonField = useRef<HTMLInputElement>(null)
  const { save, submit, ...form } = useForm(beginSilence, {
    mutationFn: (values) => begin(readSilence(values)),
    onSuccess: (undo, values) => {
      toldBegun(undo, describeSilence(values).untilText)
      form.change({ reason: '' })
    },
  })
  const { isWhole, untilText } = describeSilence(form.values)
  useKeys([['s', () => reasonField.current?.focus()]])
  const covered = describeCovered(
    { seriesCount: form.values.covers === 'Rule' ? null : incident.seriesCount },
    incident,
  )
  return (
    <form
      className={css['noteForm']}
      aria-label="Silence"
      onSubmit={(event) => {
        event.preventDefault()
        if (isWhole) submit()
      }}
    >
      <SilenceFields {...form} reasonField={reasonField} />
      <FormFault error={save.error} said="Not silenced." />
      <Button type="submit" disabled={!isWhole} isBusy={save.isPending}>
        Silence {covered.charAt(0).toLowerCase() + covered.slice(1)} until {untilText}
      </Button>
    </form>
  )
}
