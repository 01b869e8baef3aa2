/**
 * The releases of the CVE List (cvelistV5, README, "Releases"). Each has an archive of all records as of a midnight, and
 * one of the records changed since the midnight of its day. The last release of a day has the changes of the whole day.
 */
export interface ReleaseFile {
  name: string
  url: string
}

export interface Archive extends ReleaseFile {
  kind: 'baseline' | 'delta'
  /** A delta holds the changes from this instant on; empty for a baseline. */
  from: string
  /** All changes before this instant are known after the import. */
  to: string
}

const BASELINE = /^(\d{4}-\d{2}-\d{2})_all_CVEs_at_midnight\.zip(?:\.zip)?$/
const DELTA = /^(\d{4}-\d{2}-\d{2})_delta_CVEs_at_(?:(\d{2})(\d{2})Z|end_of_day)\.zip$/

function readArchive({ name, url }: ReleaseFile): Archive | undefined {
  const [, midnight] = BASELINE.exec(name) ?? []
  if (midnight !== undefined) {
    const to = instant(midnight)
    return to === undefined ? undefined : { name, url, kind: 'baseline', from: '', to }
  }
  const [, day = '', hour, minute = '00'] = DELTA.exec(name) ?? []
  const from = instant(day)
  const to = hour === undefined ? nextDay(day) : instant(day, `${hour}:${minute}`)
  if (from === undefined || to === undefined) return undefined
  return { name, url, kind: 'delta', from, to }
}

function instant(day: string, time = '00:00'): string | undefined {
  const at = new Date(`${day}T${time}Z`)
  return Number.isNaN(at.getTime()) ? undefined : at.toISOString()
}

function nextDay(day: string): string | undefined {
  const at = new Date(`${day}T00:00Z`)
  if (Number.isNaN(at.getTime())) return undefined
  at.setUTCDate(at.getUTCDate() + 1)
  return at.toISOString()
}

/**
 * The archives that lead from `covered` to the newest state: the deltas, if they leave no gap, else the newest baseline
 * and the deltas after it.
 */
export function planArchives(
  files: readonly ReleaseFile[],
  { covered, isBaselineDue }: { covered: string | undefined; isBaselineDue: boolean },
): Archive[] {
  const archives = files.flatMap((file) => readArchive(file) ?? [])
  const newest = archives.reduce((latest, { to }) => (to > latest ? to : latest), '')
  if (covered !== undefined && !isBaselineDue) {
    const chain = chainFrom(covered, archives)
    if ((chain.at(-1)?.to ?? covered) >= newest) return chain
  }
  const baseline = archives
    .filter(({ kind }) => kind === 'baseline')
    .reduce<Archive | undefined>((best, one) => (best && best.to >= one.to ? best : one), undefined)
  return baseline ? [baseline, ...chainFrom(baseline.to, archives)] : []
}

function chainFrom(covered: string, archives: readonly Archive[]): Archive[] {
  const chain: Archive[] = []
  for (let at = covered; ;) {
    const next = archives
      .filter(({ kind, from, to }) => kind === 'delta' && from <= at && to > at)
      .reduce<Archive | undefined>(
        (best, one) => (best && best.to >= one.to ? best : one),
        undefined,
      )
    if (!next) return chain
    chain.push(next)
    at = next.to
  }
}
