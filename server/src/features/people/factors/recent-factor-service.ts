/** Who has a second factor changes factors only where one was shown a moment ago: neither a password nor a session suffices. */
import { MINUTE_MS } from '../../../formats/instants.ts'
import type { AppContext } from '../../../platform/context.ts'
import type { Tx } from '../../../platform/db/connect.ts'
import { AppError } from '../../../platform/errors.ts'
import { deleteSessions, type SignedIn } from '../../auth/index.ts'
import { lockPerson, readCredentials } from '../store.ts'

const RECENT_MINUTES = 10

/**
 * Locks the person until the transaction ends. Throws where the person has a second factor and the session showed none within
 * ten minutes.
 */
export async function requireRecentFactor(
  { now }: Pick<AppContext, 'now'>,
  tx: Tx,
  { personId, secondFactorAt }: SignedIn,
): Promise<{ isFirst: boolean }> {
  await lockPerson(tx, personId)
  const { totp, passkeys } = await readCredentials(tx, personId)
  const isFirst = totp !== true && passkeys === 0
  // A clock that was set back must not make an old factor a recent one.
  const age =
    secondFactorAt === null ? Infinity : Math.abs(now().getTime() - secondFactorAt.getTime())
  if (isFirst || age <= RECENT_MINUTES * MINUTE_MS) return { isFirst }
  throw new AppError(
    'forbidden',
    'second-factor-not-recent',
    `Show your second factor again: it is needed to change factors, and counts for ${RECENT_MINUTES} minutes. Send a code to /auth/second-factor, or sign in with your passkey. Whoever has lost it asks the operator of the service for "plimsoll-admin person reset --second-factor".`,
  )
}

/** Whoever was signed in before the first factor was added has shown none. Returns how many sessions ended. */
export async function endOlderSessions(
  tx: Tx,
  { personId, sessionId }: SignedIn,
  { isFirst }: { isFirst: boolean },
): Promise<number> {
  return isFirst ? deleteSessions(tx, personId, { except: sessionId }) : 0
}
