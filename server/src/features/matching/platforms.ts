/** What a flaw needs beside the product: CPE names that a record gives with `vulnerable: false`, or the systems that it names. */
import { parseCpe, unquote } from '../../formats/cpe.ts'
import type { AffectedStatement } from '../../formats/advisories/model.ts'

type Platforms = AffectedStatement['platforms']

/**
 * Hardware counts as present, and so does Linux without a release: NVD names it as the platform of programs that run on Linux
 * among others.
 */
const ALWAYS_THERE = /^cpe:(?:2\.3:|\/)(?:h:|o:linux:linux_kernel(?::[-*](?::|$)|$))/i

function unmet(platforms: Platforms): string[][] {
  return (platforms ?? []).filter((names) => !names.some((name) => ALWAYS_THERE.test(name)))
}

/** Why a statement may not apply, in words. */
export function describePlatformDoubt(platforms: Platforms): string[] {
  const systems = unmet(platforms).find(areSystems)
  if (systems) return [`it needs ${systemsInWords(systems)}, which nothing tells of`]
  return unmet(platforms).length > 0 ? ['it needs software this does not tell of'] : []
}

/** Whether the flaw exists only on operating systems that nothing tells of. */
export function isOfOtherSystem(platforms: Platforms): boolean {
  return unmet(platforms).some(areSystems)
}

function areSystems(names: readonly string[]): boolean {
  return names.length > 0 && names.every((name) => /^cpe:(?:2\.3:|\/)o:/i.test(name))
}

const MOST_SYSTEMS = 3

function systemsInWords(names: readonly string[]): string {
  const products = names.flatMap((name) => {
    const cpe = parseCpe(name)
    return cpe ? [unquote(cpe.product).replaceAll('_', ' ')] : []
  })
  const distinct = [...new Set(products)]
  const shown = distinct.slice(0, MOST_SYSTEMS).join(' or ')
  return distinct.length > MOST_SYSTEMS ? `${shown} or other systems` : shown
}
