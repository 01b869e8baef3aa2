/** The files of an evidence bundle that say what it holds, as `sha256sum` and `openssl` read them. */

export const SUMS = 'SHA256SUMS'
export const SIGNATURE = 'SHA256SUMS.sig'
export const PUBLIC_KEY = 'public-key.pem'

/** Names without line breaks and backslashes, which `sha256sum` would escape. */
export function formatSums(files: readonly { name: string; sha256: string }[]): string {
  return files.map(({ name, sha256 }) => `${sha256}  ${name}\n`).join('')
}

/** undefined: a line is of another form. By name. */
export function parseSums(text: string): Map<string, string> | undefined {
  const sums = new Map<string, string>()
  for (const line of text.split('\n').filter((one) => one !== '')) {
    const [, sha256, name] = /^([0-9a-f]{64}) [ *](.+)$/.exec(line) ?? []
    if (sha256 === undefined || name === undefined || sums.has(name)) return undefined
    sums.set(name, sha256)
  }
  return sums
}

const MOST_CHARACTERS = 60

/** A part of a path that every system takes and `sha256sum` writes as it is. */
export function formatPathPart(text: string): string {
  const safe = text.replaceAll(/[^A-Za-z0-9._-]+/g, '_').replace(/^[.-]+/, '_')
  return safe === '' ? '_' : safe.slice(0, MOST_CHARACTERS)
}

/** What differs between what the sums say and what is there. */
export interface SumDifferences {
  changed: string[]
  missing: string[]
  added: string[]
  /** Its content is there under another name. */
  renamed: { from: string; to: string }[]
}

export function compareSums(
  expected: ReadonlyMap<string, string>,
  found: ReadonlyMap<string, string>,
): SumDifferences {
  const isListed = (name: string) => expected.has(name) || name === SUMS || name === SIGNATURE
  const added = [...found.keys()].filter((name) => !isListed(name))
  const missing = [...expected.keys()].filter((name) => !found.has(name))
  const renamed = missing.flatMap((from) => {
    const to = added.find((name) => found.get(name) === expected.get(from))
    return to === undefined ? [] : [{ from, to }]
  })
  const isRenamed = (name: string) => renamed.some(({ from, to }) => from === name || to === name)
  return {
    changed: [...expected].flatMap(([name, sum]) =>
      found.has(name) && found.get(name) !== sum ? [name] : [],
    ),
    missing: missing.filter((name) => !isRenamed(name)),
    added: added.filter((name) => !isRenamed(name)),
    renamed,
  }
}
