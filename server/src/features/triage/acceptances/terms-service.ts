/** Reads what a command says of an acceptance. */
import type { Acceptance } from '../../../formats/acceptances.ts'
import type { Actor } from '../../../platform/actor.ts'
import type { Tx } from '../../../platform/db/connect.ts'
import { invalid } from '../../../platform/errors.ts'
import { isUuid } from '../../../platform/ids.ts'
import { requireMember } from '../../discussions/index.ts'
import { getSettings, listMembers } from '../../workspaces/index.ts'
import { readConditions, readEnd, requireTerms, type StatedAcceptance } from './terms.ts'

interface Accepting {
  workspaceId: string
  actor: Actor
  ignored: boolean
  acceptance?: StatedAcceptance | undefined
}

/** undefined: nothing is said. What the workspace demands, it demands of people and of keys. */
export async function readTerms(
  tx: Tx,
  now: Date,
  { workspaceId, actor, ignored, acceptance }: Accepting,
): Promise<Acceptance | undefined> {
  if (!ignored) {
    if (acceptance === undefined) return undefined
    throw invalid(
      'Only what is ignored is accepted: `acceptance` needs `ignored: true`.',
      '/acceptance',
    )
  }
  const { acceptanceRequirements } = await getSettings({ db: tx }, workspaceId)
  if (actor.type === 'User' || actor.type === 'ApiKey')
    requireTerms(acceptanceRequirements, acceptance)
  if (acceptance === undefined) return undefined
  const owner = await findOwner(tx, workspaceId, acceptance.ownerId ?? null)
  return {
    reason: acceptance.reason?.trim() ?? null,
    owner: owner && { id: owner.subjectId, email: owner.email },
    until: readEnd(acceptance.until, now),
    conditions: readConditions(acceptance.conditions),
    acceptedAt: now.toISOString(),
    acceptedByEmail: actor.email ?? null,
  }
}

/**
 * Throws where somebody accepts again what was said before, or never said, and the workspace demands more by now. Who has left looks
 * after nothing. `pointer`: where the command can say it.
 */
export async function readRepeatedTerms(
  tx: Tx,
  { workspaceId, pointer }: { workspaceId: string; pointer: string },
): Promise<(acceptance: Pick<Acceptance, 'reason' | 'owner' | 'until'> | null) => void> {
  const { acceptanceRequirements } = await getSettings({ db: tx }, workspaceId)
  const members = acceptanceRequirements.includes('Owner') ? await listMembers(tx, workspaceId) : []
  const memberIds = new Set(members.map(({ subjectId }) => subjectId))
  return (acceptance) => {
    const { reason, owner, until } = acceptance ?? { reason: null, owner: null, until: null }
    const ownerId = owner && memberIds.has(owner.id) ? owner.id : null
    requireTerms(
      acceptanceRequirements,
      { ...(reason !== null && { reason }), ownerId, until },
      pointer,
    )
  }
}

/** Somebody who left looks after nothing. */
export async function findOwner(
  tx: Tx,
  workspaceId: string,
  ownerId: string | null,
  pointer = '/acceptance/ownerId',
) {
  if (ownerId === null) return null
  const member = isUuid(ownerId)
    ? await requireMember(tx, workspaceId, ownerId.toLowerCase()).catch(() => undefined)
    : undefined
  if (!member)
    throw invalid(`No member of the workspace has the id ${JSON.stringify(ownerId)}.`, pointer)
  return member
}
