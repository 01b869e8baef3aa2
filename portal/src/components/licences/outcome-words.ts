/** What licence rules say of a licence, in words and colours. */
import type { LicenceOutcome } from '@plimsoll/api-client'
import type { Tone } from '../tag.tsx'

export const OUTCOME_WORDS: Record<LicenceOutcome, string> = {
  denied: 'Denied',
  notListed: 'In no list',
  unknown: 'Unknown',
  review: 'To be reviewed',
  allowed: 'Allowed',
}

export const OUTCOME_TONES: Record<LicenceOutcome, Tone> = {
  denied: 'danger',
  notListed: 'warn',
  unknown: 'warn',
  review: 'warn',
  allowed: 'ok',
}
