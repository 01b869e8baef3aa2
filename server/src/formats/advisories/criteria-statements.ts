/** Turns criteria of one product into version statements: thousands of exact versions become one statement. */
import { readCriterionRange, type Criterion } from './criteria.ts'
import { unescapeCpeValue } from './keys.ts'
import type { VersionStatement } from './model.ts'

export function compactStatements(criteria: readonly Criterion[]): VersionStatement[] {
  const ranges: VersionStatement[] = []
  const exact = new Map<string, Criterion[]>()
  for (const criterion of criteria) {
    const range = readCriterionRange(criterion)
    if (range !== undefined) {
      ranges.push({ status: 'affected', ...range, cpe: criterion.text, text: rangeText(criterion) })
    } else {
      // "Not applicable" (`-`) leaves the version open, so it is a group of its own.
      const group = `${criterion.textOfAnyVersion} ${criterion.version === '-' ? '-' : ''}`
      const known = exact.get(group)
      if (known === undefined) exact.set(group, [criterion])
      else known.push(criterion)
    }
  }
  return [...ranges, ...[...exact.values()].map(exactStatement)]
}

/** The group shares a name that keeps the update attribute: `cpe:2.3:o:linux:linux_kernel:*:rc3:…`. */
function exactStatement(group: readonly Criterion[]): VersionStatement {
  const versions = [...new Set(group.map(({ version }) => unescapeCpeValue(version)))]
  const [first] = group
  const cpe = versions.length === 1 ? first?.text : first?.textOfAnyVersion
  return {
    status: 'affected',
    versions,
    ...(cpe !== undefined && { cpe }),
    text: listText(versions),
  }
}

export function listText(versions: readonly string[]): string {
  const shown = versions.slice(0, MAX_SHOWN).join(', ')
  return versions.length <= MAX_SHOWN ? shown : `${shown} and ${versions.length - MAX_SHOWN} more`
}

const MAX_SHOWN = 5

function rangeText({ version, bounds }: Criterion): string {
  if (version !== '*') return version
  const parts = [
    bounds.startIncluding !== undefined && `>= ${bounds.startIncluding}`,
    bounds.startExcluding !== undefined && `> ${bounds.startExcluding}`,
    bounds.endIncluding !== undefined && `<= ${bounds.endIncluding}`,
    bounds.endExcluding !== undefined && `< ${bounds.endExcluding}`,
  ].filter((part) => part !== false)
  return parts.length > 0 ? parts.join(', ') : 'all versions'
}
