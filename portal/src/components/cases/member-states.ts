/** Member States by their English names, as texts of the portal are English. */
import { MEMBER_STATE } from '@plimsoll/api-client'

const NAMES = new Intl.DisplayNames('en-GB', { type: 'region' })

export const nameMemberState = (code: string) => NAMES.of(code) ?? code

/** "Austria, Germany"; undefined: nobody has said. */
export function nameMemberStates(codes: readonly string[]): string | undefined {
  if (codes.length === 0) return undefined
  return codes.length === MEMBER_STATE.length ? 'all' : codes.map(nameMemberState).join(', ')
}

export const MEMBER_STATE_OPTIONS = MEMBER_STATE.map((value) => ({
  value,
  label: nameMemberState(value),
})).toSorted((one, two) => one.label.localeCompare(two.label, 'en'))
