/** What an advisory says about which vulnerability it describes (DESIGN 5.3). */
import { isCveId } from '../../formats/advisories/record-reader.ts'
import type { Advisory } from '../../formats/advisories/model.ts'

type Named = Pick<Advisory, 'id' | 'aliases' | 'upstream'>

/**
 * The CVEs the record is evidence for: each it names as its own id or as an alias; else, as distributions' records
 * name no CVE otherwise, each it says it is derived from. Sorted, so that equal sets are equal arrays.
 */
export function evidencedCveIds({ id, aliases, upstream = [] }: Named): string[] {
  const named = [id, ...aliases].filter(isCveId)
  return sortedSet(named.length > 0 ? named : upstream.filter(isCveId))
}

/** Its names outside the CVE list. They unite records that name no CVE; `upstream` and `related` unite nothing. */
export function linkedIds({ id, aliases }: Named): string[] {
  return sortedSet([id, ...aliases].filter((name) => !isCveId(name)))
}

function sortedSet(ids: readonly string[]): string[] {
  return [...new Set(ids)].toSorted()
}
