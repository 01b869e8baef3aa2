/**
 * The index of an OSV ecosystem (`modified_id.csv`): the time of each record's last change, newest first
 * (google.github.io/osv.dev/data).
 */
export interface OsvChanges {
  /** The newest time in the index. */
  newest: string | undefined
  ids: string[]
}

/** The records modified after `since`. Ignores lines without a record, such as a heading. */
export async function readOsvIndex(
  lines: AsyncIterable<string>,
  since: string | undefined,
): Promise<OsvChanges> {
  let newest: string | undefined
  const ids: string[] = []
  for await (const line of lines) {
    const [, time = '', path = ''] = LINE.exec(line) ?? []
    if (path === '') continue
    const at = canonicalTime(time)
    if (at === undefined) continue
    if (newest === undefined || at > newest) newest = at
    if (since !== undefined && at > since) ids.push(path)
  }
  return { newest, ids }
}

/** The index of all ecosystems names the ecosystem before the id. */
const LINE = /^(\d{4}-[^,]{6,40}),(?:[^,/]+\/)?([\w.:+-]{1,128})\s*$/

/** With nine digits after the point: texts of different lengths do not compare as times. */
function canonicalTime(text: string): string | undefined {
  const [, seconds, fraction = ''] =
    /^(\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2})(?:\.(\d+))?Z$/.exec(text) ?? []
  if (seconds === undefined || Number.isNaN(Date.parse(`${seconds}Z`))) return undefined
  return `${seconds}.${fraction.padEnd(9, '0').slice(0, 9)}Z`
}

/** Leaves out the releases of a distribution (`Debian:12`): the archive of the distribution holds them. */
export function parseEcosystemIndex(text: string): string[] {
  const names = text
    .split(/\r?\n/)
    .map((line) => line.trim())
    .filter((name) => name !== '' && name.length <= 64 && !/[/\\<>]/.test(name))
  const all = new Set(names)
  return [...all].filter((name) => {
    const [family = ''] = name.split(':')
    return family === name || !all.has(family)
  })
}
