/** The entries of a mail: the notices that waited together, united by incident. */
import { formatCountOf } from '../../../formats/counts.ts'
import type { Notice } from '../../notifications/index.ts'

export interface WaitingNotice {
  incidentId: string | null
  notice: Notice
}

export interface Entry {
  /** Ended: the rule was changed or deleted, so the condition may still hold. */
  state: 'Firing' | 'Resolved' | 'Ended'
  /** The newest notice of the incident. */
  latest: Notice
  /** The mail also holds the notice of its beginning. */
  isNew: boolean
}

const ORDER: Readonly<Record<Entry['state'], number>> = { Firing: 0, Ended: 1, Resolved: 2 }

/** One entry for each incident: the firing ones first, then the ended, then the resolved, each oldest first. */
export function groupByIncident(notices: readonly WaitingNotice[]): Entry[] {
  const entries = new Map<string, Entry>()
  for (const [place, { incidentId, notice }] of notices.entries()) {
    const key = incidentId ?? String(place)
    const isNew = notice.event === 'Fired' || entries.get(key)?.isNew === true
    entries.set(key, { state: readState(notice), latest: notice, isNew })
  }
  return [...entries.values()].toSorted((one, other) => ORDER[one.state] - ORDER[other.state])
}

function readState({ event, data }: Notice): Entry['state'] {
  if (event !== 'Resolved') return 'Firing'
  return (data['endedCause'] ?? 'Recovered') === 'Recovered' ? 'Resolved' : 'Ended'
}

/** `[Pumps] 3 alerts: 2 firing, 1 resolved` */
export function summariseEntries(entries: readonly Entry[]): string {
  const counts = (['Firing', 'Ended', 'Resolved'] as const).flatMap((state) => {
    const count = entries.filter((entry) => entry.state === state).length
    return count === 0 ? [] : [`${count} ${state.toLowerCase()}`]
  })
  return `${formatCountOf(entries.length, 'alert')}: ${counts.join(', ')}`
}
