/** What holds of the certificates of an issuer now, in words: nobody shall read silence as safety. */
import { formatCountOf } from '../../formats/counts.ts'

interface IssuerTimes {
  notBefore: Date
  notAfter: Date
  revocationList: { nextUpdate: Date; revokedCount: number } | null
  acceptsAfterCrlEnd: boolean
}

export const ISSUER_STATES = ['Trusted', 'NotYetValid', 'Ended', 'ListEnded'] as const

interface IssuerStanding {
  state: (typeof ISSUER_STATES)[number]
  standing: string
}

export function decideStanding(issuer: IssuerTimes, now: Date): IssuerStanding {
  const { notBefore, notAfter, revocationList: list } = issuer
  if (now >= notAfter)
    return {
      state: 'Ended',
      standing: `Its own certificate ended at ${notAfter.toISOString()}: all certificates that it issued are refused.`,
    }
  if (now < notBefore)
    return {
      state: 'NotYetValid',
      standing: `Its own certificate is not valid before ${notBefore.toISOString()}.`,
    }
  if (!list)
    return {
      state: 'Trusted',
      standing:
        'It has no revocation list here: refused are those certificates alone that somebody of the team revoked.',
    }
  const end = list.nextUpdate.toISOString()
  if (now < list.nextUpdate)
    return {
      state: 'Trusted',
      standing: `Its revocation list names ${formatCountOf(list.revokedCount, 'certificate')} and holds until ${end}.`,
    }
  const isUnknown = `Its revocation list ended at ${end}: nobody knows which certificates were revoked since.`
  return {
    state: 'ListEnded',
    standing: issuer.acceptsAfterCrlEnd
      ? `${isUnknown} They are accepted all the same, as the team chose.`
      : `${isUnknown} All are refused until the next list is uploaded.`,
  }
}
