/** What happened in an incident, newest first: its beginning and end, who acknowledged it, and each message with its answer. */
import type { AlertIncident, AlertSilence, Notification } from '@plimsoll/api-client'
import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { OlderButton } from '../../components/list-panel.tsx'
import { Failure } from '../../components/states.tsx'
import { Dot, type Tone } from '../../components/tag.tsx'
import { Time } from '../../components/time.tsx'
import { useWorkspaceId } from '../../session.ts'
import css from './alerts.module.css'
import { notificationsQuery, silencesQuery } from './queries.ts'
import { END_CAUSES } from './rule-words.ts'
import { describeCovered } from './silence-panel.tsx'

interface Happening {
  key: string
  at: string
  tone: Tone
  text: ReactNode
}

export function IncidentTimeline({ incident }: { incident: AlertIncident }) {
  const workspaceId = useWorkspaceId()
  const list = useInfiniteQuery(notificationsQuery(workspaceId, { incidentId: incident.id }))
  const told = list.data?.pages.flatMap((page) => page.notifications) ?? []
  const { data: silences = [], error: noSilences } = useQuery(
    silencesQuery(workspaceId, { alertIncidentId: incident.id }),
  )
  const all = [
    ...listOwnHappenings(incident),
    ...silences.flatMap((silence) => listSilenceHappenings(silence, incident)),
    ...told.map(describeMessage),
  ]
  return (
    <>
      {list.error && <Failure error={list.error} />}
      {noSilences && <Failure error={noSilences} />}
      <ul className={css['happened']}>
        {all
          .toSorted((a, b) => Date.parse(b.at) - Date.parse(a.at))
          .map(({ key, at, tone, text }) => (
            <li key={key}>
              <Dot tone={tone}>{text}</Dot>
              <Time at={at} as="dateTime" />
            </li>
          ))}
      </ul>
      {list.isSuccess && told.length === 0 && <p className={css['warning']}>It told nobody.</p>}
      <OlderButton list={list} size="small" />
      {told.length > 0 && (
        <Link
          to="/w/$workspaceId/alerts"
          params={{ workspaceId }}
          search={{ tab: 'deliveries', incident: incident.id }}
        >
          All attempts and answers
        </Link>
      )}
    </>
  )
}

function listOwnHappenings(incident: AlertIncident): Happening[] {
  const { beganAt, endedAt, endedCause, acknowledgedAt, acknowledgedByEmail } = incident
  const all: Happening[] = [{ key: 'began', at: beganAt, tone: 'danger', text: 'It began' }]
  if (acknowledgedAt !== null) {
    const text = `${acknowledgedByEmail ?? 'An API key'} acknowledged it`
    all.push({ key: 'acknowledged', at: acknowledgedAt, tone: 'accent', text })
  }
  const { note, notedAt, notedByEmail } = incident
  if (note !== null && notedAt !== null) {
    const text = (
      <>
        {notedByEmail ?? 'An API key'} noted: <q className={css['quote']}>{note}</q>
      </>
    )
    all.push({ key: 'noted', at: notedAt, tone: 'accent', text })
  }
  if (endedAt !== null) {
    const text = `It ended${endedCause ? `: ${END_CAUSES[endedCause]}` : ''}`
    all.push({ key: 'ended', at: endedAt, tone: 'ok', text })
  }
  return all
}

function listSilenceHappenings(silence: AlertSilence, incident: AlertIncident): Happening[] {
  const { id, createdAt, until, endedAt, reason, isActive } = silence
  const begun: Happening = {
    key: id,
    at: createdAt,
    tone: 'warn',
    text: (
      <>
        {silence.createdByEmail ?? 'An API key'} silenced{' '}
        {lowerFirst(describeCovered(silence, incident))} until <Time at={until} as="dateTime" />:{' '}
        <q>{reason}</q>
      </>
    ),
  }
  if (isActive) return [begun]
  const text =
    endedAt === null
      ? 'The silence was over'
      : `${silence.endedByEmail ?? 'An API key'} ended the silence`
  return [begun, { key: `${id} end`, at: endedAt ?? until, tone: 'muted', text }]
}

const lowerFirst = (text: string) => text.charAt(0).toLowerCase() + text.slice(1)

const EVENTS: Record<Notification['event'], string> = {
  Fired: 'that it fired',
  StillFiring: 'that it is still firing',
  Resolved: 'of its end',
  Test: 'a test',
  AcceptancesEnd: 'of accepted risks that end',
}

const STATES: Record<Notification['state'], { tone: Tone; text: string }> = {
  Pending: { tone: 'warn', text: 'to be sent' },
  Delivered: { tone: 'muted', text: 'delivered' },
  Failed: { tone: 'danger', text: 'failed' },
  Dropped: { tone: 'muted', text: 'not sent' },
}

function describeMessage({ id, recipient, event, ...message }: Notification): Happening {
  const { tone, text } = STATES[message.state]
  const { name, emailAddress } = recipient
  const to = name ?? emailAddress ?? 'a target that was deleted'
  const answer = message.answer === null ? text : `${text}: ${message.answer}`
  return {
    key: id,
    at: message.finishedAt ?? message.createdAt,
    tone,
    text: (
      <>
        {recipient.type === 'Webhook' ? 'Webhook' : 'Mail'} to <strong>{to}</strong>
        {name !== null && emailAddress !== null && `, ${emailAddress}`} {EVENTS[event]}, {answer}
      </>
    ),
  }
}
