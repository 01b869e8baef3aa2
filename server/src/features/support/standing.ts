/** Says in words which release cycle a package belongs to. */

interface Explained {
  source: 'endoflife' | 'Statement'
  label: string
  cycle: string | null
  key: string | null
  version: string | null
  fault: string | null
  isGone: boolean
  createdByEmail: string | null
}

/** Which cycle, by which source, and why: one sentence or two. */
export function explainSupport(row: Explained): string {
  if (row.source === 'Statement')
    return `Stated by ${row.createdByEmail ?? 'an API key'} in this workspace.`
  const gone = row.isGone ? ' endoflife.date lists the product no more.' : ''
  const fault = row.fault === null ? '' : ` What is said of the cycle cannot be used: ${row.fault}.`
  return `${explainCycle(row)}${fault}${gone}`
}

function explainCycle({ label, cycle, key, version }: Explained): string {
  const distribution = /^distribution:(.+)$/.exec(key ?? '')?.[1]
  if (distribution !== undefined) {
    if (version === null || version === '')
      return `${distribution} builds it, and the SBOM does not state of which release.`
    return cycle === null
      ? `${distribution} ${version} builds it, which endoflife.date does not list.`
      : `${distribution} ${version} builds it, so that it is supported as long as ${label} ${cycle} is.`
  }
  const named = `${key?.replace(/^(?:cpe|purl|repo|name):/, '') ?? label} ${version ?? ''}`.trim()
  return cycle === null
    ? `endoflife.date lists ${label}, and no release cycle that ${named} belongs to.`
    : `${named} belongs to ${label} ${cycle}, by endoflife.date.`
}
