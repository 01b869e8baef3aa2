import type { PackageOverride } from '../../../formats/identity.ts'
import { parsePurl } from '../../../formats/purl.ts'

/** Texts and patterns that find at least the components that the overrides apply to. */
export interface SelectorPatterns {
  names: string[]
  /** Patterns of `like` for texts in lower case. */
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

/** Compares letters and digits only: other characters can be escaped or encoded in many ways. */
function patternOf(text: string): string {
  return `%${text.toLowerCase().replace(/[^a-z0-9]+/g, '%')}%`
}
