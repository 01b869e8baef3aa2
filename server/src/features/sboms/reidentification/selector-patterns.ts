import type { PackageOverride } from '../../../formats/identity.ts'
import { parsePurl } from '../../../formats/purl.ts'

/** What a search by text finds no fewer components by than the overrides are for. */
export interface SelectorPatterns {
  names: string[]
  /** Patterns of `like`, of texts in small letters. */
  purls: string[]
  cpes: string[]
}

export function patternsOf(overrides: readonly PackageOverride[]): SelectorPatterns {
  const patterns: SelectorPatterns = { names: [], purls: [], cpes: [] }
  for (const { selector } of overrides) {
    const { name, purl, cpe } = selector
    if (name !== null) patterns.names.push(name)
    else if (purl !== null) patterns.purls.push(patternOf(parsePurl(purl)?.name ?? ''))
    else if (cpe !== null) patterns.cpes.push(patternOf(productOf(cpe)))
  }
  return patterns
}

function productOf(cpe: string): string {
  const parts = cpe.split(/(?<!\\):/)
  return (/^cpe:2\.3:/i.test(cpe) ? parts[4] : /^cpe:\//i.test(cpe) ? parts[3] : parts.at(-1)) ?? ''
}

/** Marks are escaped, encoded or exchanged in many ways; letters and digits are not. */
function patternOf(text: string): string {
  return `%${text.toLowerCase().replace(/[^a-z0-9]+/g, '%')}%`
}
