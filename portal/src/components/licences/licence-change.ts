/** What a comparison of two versions says of licences. */
import type { LicenceChange } from '@plimsoll/api-client'
import { formatCountOf } from '../../format/counts.ts'

/** What may need somebody; a licence that became allowed is no news. */
const TOLD = [
  ['denied', 'with a denied licence'],
  ['unknown', 'whose licence is not known'],
  ['notListed', 'with a licence in no list'],
  ['review', 'with a licence to review'],
] as const

/** undefined: nothing changes, or there are no rules. */
export function describeLicenceChange(change: LicenceChange | null): string | undefined {
  if (!change) return undefined
  const said = [describe(change.brought, 'Brings'), describe(change.left, 'Leaves behind')]
  const told = said.filter((text) => text !== undefined)
  return told.length === 0 ? undefined : told.join('. ')
}

function describe(counts: LicenceChange['brought'], verb: string): string | undefined {
  const parts = TOLD.flatMap(([outcome, words]) =>
    counts[outcome] > 0 ? [`${formatCountOf(counts[outcome], 'component')} ${words}`] : [],
  )
  return parts.length === 0 ? undefined : `${verb} ${parts.join(' and ')}`
}
