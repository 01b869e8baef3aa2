/** The Member States of the European Union by their codes of ISO 3166-1. */
export const MEMBER_STATES = [
  'AT',
  'BE',
  'BG',
  'CY',
  'CZ',
  'DE',
  'DK',
  'EE',
  'ES',
  'FI',
  'FR',
  'GR',
  'HR',
  'HU',
  'IE',
  'IT',
  'LT',
  'LU',
  'LV',
  'MT',
  'NL',
  'PL',
  'PT',
  'RO',
  'SE',
  'SI',
  'SK',
] as const
export type MemberState = (typeof MEMBER_STATES)[number]

const NAMES = new Intl.DisplayNames('en', { type: 'region' })

export function formatMemberState(state: string): string {
  return NAMES.of(state) ?? state
}
