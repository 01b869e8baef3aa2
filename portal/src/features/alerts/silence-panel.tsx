/** Silences of an incident: those that last, with their end, and the form of another one. */
import type { AlertIncident, AlertSilence } from '@plimsoll/api-client'
import { SegmentedControl, TextInput } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useRef, useState } from 'react'
import { api } from '../../api.ts'
import { Button } from '../../components/button.tsx'
import { useKeys } from '../../components/keyboard.ts'
import { Panel } from '../../components/panel.tsx'
import { usePerform } from '../../components/perform.ts'
import { Failure } from '../../components/states.tsx'
import { Time } from '../../components/time.tsx'
import { formatCountOf } from '../../format/counts.ts'
import { formatForField, formatInstant } from '../../format/dates.ts'
import { useMay, useWorkspaceId } from '../../session.ts'
import css from './alerts.module.css'
import { silencesQuery } from './queries.ts'
import { chooseNouns } from './rule-words.ts'

const HOUR = 3_600_000
/** Its field, for who comes from elsewhere on the page. */
export const SILENCE_REASON = 'silence-reason'
const MORNING = 7

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

type NewSilence = Pick<AlertSilence, 'until' | 'reason' | 'covers'>

/** Both acts, each with the other as its way back. */
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
    begin: (body: NewSilence) =>
      perform({
        text: `${alertRule.name}: silenced until ${formatInstant(new Date(body.until))}`,
        send: async () => {
          const { id } = await write(incident.id, body)
          return async () => {
            await finish(id)
            return undefined
          }
        },
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

type Length = '1h' | '4h' | 'morning' | 'other'

function SilenceForm({ incident }: { incident: AlertIncident }) {
  const { begin } = useSilence(incident)
  const [length, setLength] = useState<Length>('1h')
  const [other, setOther] = useState(() => formatForField(new Date(Date.now() + 24 * HOUR)))
  const [covers, setCovers] = useState<AlertSilence['covers']>('Series')
  const [reason, setReason] = useState('')
  const field = useRef<HTMLInputElement>(null)
  useKeys([['s', () => field.current?.focus()]])
  const until = chooseEnd(length, other)
  const isWhole = until > new Date() && reason.trim() !== ''
  const covered = describeCovered(
    { seriesCount: covers === 'Rule' ? null : incident.seriesCount },
    incident,
  )
  const send = async () => {
    if (await begin({ until: chooseEnd(length, other).toISOString(), reason, covers }))
      setReason('')
  }
  return (
    <form
      className={css['noteForm']}
      aria-label="Silence"
      onSubmit={(event) => {
        event.preventDefault()
        if (isWhole) void send()
      }}
    >
      <SegmentedControl
        aria-label="How long"
        fullWidth
        size="xs"
        value={length}
        data={[
          { value: '1h', label: '1 h' },
          { value: '4h', label: '4 h' },
          { value: 'morning', label: 'until 07:00' },
          { value: 'other', label: 'until…' },
        ]}
        onChange={setLength}
      />
      {length === 'other' && (
        <TextInput
          type="datetime-local"
          label="Until"
          value={other}
          onChange={(event) => setOther(event.currentTarget.value)}
        />
      )}
      <SegmentedControl
        aria-label="What"
        fullWidth
        size="xs"
        value={covers}
        data={[
          { value: 'Series', label: 'What fired in it' },
          { value: 'Rule', label: 'All of the rule' },
        ]}
        onChange={setCovers}
      />
      <TextInput
        ref={field}
        id={SILENCE_REASON}
        aria-label="Reason"
        placeholder="Reason, shown with the silence"
        maxLength={1_000}
        value={reason}
        onChange={(event) => setReason(event.currentTarget.value)}
      />
      <Button type="submit" disabled={!isWhole}>
        Silence {covered.charAt(0).toLowerCase() + covered.slice(1)} until{' '}
        {Number.isNaN(until.getTime()) ? '…' : formatInstant(until)}
      </Button>
    </form>
  )
}

function chooseEnd(length: Length, other: string): Date {
  const now = Date.now()
  switch (length) {
    case '1h':
      return new Date(now + HOUR)
    case '4h':
      return new Date(now + 4 * HOUR)
    case 'morning': {
      const morning = new Date(now)
      morning.setHours(MORNING, 0, 0, 0)
      if (morning.getTime() <= now) morning.setDate(morning.getDate() + 1)
      return morning
    }
    case 'other':
      return new Date(other)
  }
}
