/** Notices that waited together, by what they speak of. */
import type { Notice } from '../../notifications/index.ts'

export interface WaitingNotice {
  incidentId: string | null
  notice: Notice
}

export interface Entry {
  /** Ended: it may be so still, but nobody looks any more. */
  state: 'Firing' | 'Resolved' | 'Ended'
  /** What is true by now. */
  latest: Notice
  /** Its beginning is among what is told, too. */
  isNews: boolean
}

const ORDER: Readonly<Record<Entry['state'], number>> = { Firing: 0, Ended: 1, Resolved: 2 }

/** One for each incident, those that fire first; the others as they came, oldest first. */
export function entriesOf(notices: readonly WaitingNotice[]): Entry[] {
  const entries = new Map<string, Entry>()
  for (const [place, { incidentId, notice }] of notices.entries()) {
    const key = incidentId ?? String(place)
    const isNews = notice.event === 'Fired' || entries.get(key)?.isNews === true
    entries.set(key, { state: stateOf(notice), latest: notice, isNews })
  }
  return [...entries.values()].toSorted((one, other) => ORDER[one.state] - ORDER[other.state])
}

function stateOf({ event, data }: Notice): Entry['state'] {
  if (event !== 'Resolved') return 'Firing'
  return (data['endedCause'] ?? 'Recovered') === 'Recovered' ? 'Resolved' : 'Ended'
}

/** `[Pumps] 3 alerts: 2 firing, 1 resolved` */
export function countWords(entries: readonly Entry[]): string {
  const counts = (['Firing', 'Ended', 'Resolved'] as const).flatMap((state) => {
    const count = entries.filter((entry) => entry.state === state).length
    return count === 0 ? [] : [`${count} ${state.toLowerCase()}`]
  })
  return `${entries.length} alerts: ${counts.join(', ')}`
}
