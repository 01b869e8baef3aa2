/** Whether a link works, in a word. */
interface Ending {
  revokedAt: string | null
  endsAt: string | null
}

export function describeLinkState({ revokedAt, endsAt }: Ending, now = new Date()): string {
  if (revokedAt !== null) return 'revoked'
  return endsAt !== null && new Date(endsAt) <= now ? 'ended' : 'in use'
}

/** The end of a day that people choose, as an instant; empty: as the service has it. */
export const readEndOfDay = (day: string): string | undefined =>
  day === '' ? undefined : `${day}T23:59:59.000Z`
