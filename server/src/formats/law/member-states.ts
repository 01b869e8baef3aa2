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

/** `Germany` */
export const formatStateName = (state: string): string => NAMES.of(state) ?? state

export const isMemberState = (text: string): text is MemberState =>
  MEMBER_STATES.some((state) => state === text)
