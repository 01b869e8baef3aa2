/** The entries day by day, as the reader counts days; what the service did by itself is folded. */
import type { AuditLogEntry } from '@plimsoll/api-client'

type Entry = Pick<AuditLogEntry, 'id' | 'createdAt' | 'actorType' | 'kind'>

export interface LogDay<E> {
  /** The time of its newest entry. */
  at: string
  /** The newest first. */
  entries: readonly E[]
  shown: readonly E[]
  folded: readonly E[]
}

export function listDays<E extends Entry>(
  entries: readonly E[],
  isUnfolded: (day: string) => boolean,
): (LogDay<E> & { day: string })[] {
  const days = Map.groupBy(entries, ({ createdAt }) => new Date(createdAt).toDateString())
  return [...days].map(([day, ofDay]) => {
    const folded = isUnfolded(day) ? [] : listFolded(ofDay)
    const shown = ofDay.filter((entry) => !folded.includes(entry))
    return { day, at: ofDay[0]?.createdAt ?? '', entries: ofDay, shown, folded }
  })
}

/** The newest of each kind stays. One alone would take as much room as the line that stands for it. */
function listFolded<E extends Entry>(entries: readonly E[]): E[] {
  const kinds = new Set<Entry['kind']>()
  const others = entries.filter(({ actorType, kind }) => {
    if (actorType !== 'System') return false
    const isFirst = !kinds.has(kind)
    kinds.add(kind)
    return !isFirst
  })
  return others.length > 1 ? others : []
}
