/** The lists of a CSAF directory (CSAF 2.0, section 7.1.13) and the names of Red Hat's archives. */
export interface ChangedDocument {
  /** Below the directory: `2024/cve-2024-6119.json`. */
  path: string
  /** ISO 8601 in UTC. */
  at: string
}

const LINE = /^"?([\w./+-]+\.json)"?\s*,\s*"?([^",]+)"?\s*$/

/** Undefined for a heading, and for a path that leads out of the directory. */
export function parseChange(line: string): ChangedDocument | undefined {
  const [, path, time = ''] = LINE.exec(line) ?? []
  const at = new Date(time)
  if (path === undefined || Number.isNaN(at.getTime())) return undefined
  if (path.startsWith('/') || path.split('/').includes('..')) return undefined
  return { path, at: at.toISOString() }
}

/**
 * The instant up to which an archive has all changes. `csaf_vex_2026-11-20.tar.zst` states a day but no time, so that the
 * changes of this day and the day before are fetched again.
 */
export function archivedUntil(archive: string): string {
  const [, day] = /(\d{4}-\d{2}-\d{2})/.exec(archive) ?? []
  const at = new Date(`${day ?? '1970-01-02'}T00:00:00Z`)
  at.setUTCDate(at.getUTCDate() - 1)
  return at.toISOString()
}
