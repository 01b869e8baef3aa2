/** What the list of cases is asked for, by its address. */
import type { CaseFilter } from '../../components/cases/queries.ts'
import type { CasesSearch } from '../../searches.ts'

/** What was listed as exploited before this day was so before reports were due (G ¶217): decided in bulk. */
export const REPORTS_SINCE = '2026-09-11'

export function readCaseFilter({ state, type, drill, late, older }: CasesSearch): CaseFilter {
  return {
    ...(state === undefined && { isOpen: 'true' }),
    ...(state !== undefined && state !== 'All' && { state }),
    ...(type && { type }),
    ...(drill && { isDrill: drill === 'only' ? 'true' : 'false' }),
    ...(late && { isLate: 'true' }),
    ...(older && { listedBefore: REPORTS_SINCE }),
  }
}

interface Searched {
  title: string
  cveId: string | null
  manufacturer: string
  productLines: readonly { name: string }[]
}

/** Whether the text is in what people call the case. */
export function isFound(text: string | undefined, one: Searched): boolean {
  if (text === undefined) return true
  const names = [one.title, one.cveId ?? '', one.manufacturer]
  const all = [...names, ...one.productLines.map(({ name }) => name)]
  return all.some((name) => name.toLowerCase().includes(text.toLowerCase()))
}
