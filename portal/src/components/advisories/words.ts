/** States of advisories and what documents say of versions, in words. */
import type {
  AdvisoryProductStatus,
  AdvisoryRemediationKind,
  SecurityAdvisoryState,
} from '@plimsoll/api-client'
import type { Tone } from '../tag.tsx'

export const ADVISORY_STATE_WORDS: Readonly<Record<SecurityAdvisoryState, string>> = {
  Draft: 'draft',
  Published: 'published',
  Changed: 'published, changed since',
  Withdrawn: 'withdrawn',
}

export const ADVISORY_STATE_TONES: Readonly<Record<SecurityAdvisoryState, Tone>> = {
  Draft: 'muted',
  Published: 'ok',
  Changed: 'warn',
  Withdrawn: 'danger',
}

export const PRODUCT_STATUS_WORDS: Readonly<Record<AdvisoryProductStatus, string>> = {
  KnownAffected: 'affected',
  KnownNotAffected: 'not affected',
  Fixed: 'fixed',
  UnderInvestigation: 'not known yet',
}

export const REMEDIATION_WORDS: Readonly<Record<AdvisoryRemediationKind, string>> = {
  VendorFix: 'Update',
  Workaround: 'Workaround',
  Mitigation: 'Mitigation',
  NoFixPlanned: 'No fix is planned',
  NoneAvailable: 'There is no remedy yet',
}

interface Held {
  heldUntil: string | null
}

/** Whether publishing is refused because somebody gave a date. */
export const isWaiting = ({ heldUntil }: Held, now = new Date()): boolean =>
  heldUntil !== null && new Date(heldUntil) > now
