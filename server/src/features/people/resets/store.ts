import type { Db } from '../../../platform/db/connect.ts'
import type { AppContext } from '../../../platform/context.ts'
import { deleteSessions, revokeLoginKeys } from '../../auth/index.ts'
import { deleteLoginsOfPerson } from '../terminal-logins/store.ts'

type Clock = Pick<AppContext, 'now'>

/** Everything that opens the account; the person stays. */
export async function forgetCredentials(ctx: Clock, tx: Db, personId: string): Promise<void> {
  await tx.updateTable('people').set({ passwordHash: null }).where('id', '=', personId).execute()
  await deleteIdentities(tx, personId)
  await forgetSecondFactors(tx, personId)
  await endAccess(ctx, tx, personId)
}

/** Ends the sessions of a person, and the logins of terminals with those that were approved and not collected yet. */
export async function endAccess(ctx: Clock, tx: Db, personId: string) {
  const sessionsEnded = await deleteSessions(tx, personId, { except: undefined })
  return { sessionsEnded, terminalsEnded: await endTerminals(ctx, tx, personId) }
}

/** Returns how many were logged in. */
export async function endTerminals({ now }: Clock, tx: Db, personId: string): Promise<number> {
  await deleteLoginsOfPerson(tx, personId)
  return revokeLoginKeys(tx, { personId, revokedAt: now() })
}

export async function forgetSecondFactors(tx: Db, personId: string): Promise<void> {
  await tx.deleteFrom('totpSecrets').where('personId', '=', personId).execute()
  await tx.deleteFrom('recoveryCodes').where('personId', '=', personId).execute()
  await tx.deleteFrom('passkeys').where('personId', '=', personId).execute()
}

/** Returns the issuers of the accounts that were linked. */
export async function deleteIdentities(tx: Db, personId: string): Promise<string[]> {
  const rows = await tx
    .deleteFrom('personIdentities')
    .where('personId', '=', personId)
    .returning('issuer')
    .execute()
  return rows.map(({ issuer }) => issuer)
}

/** For the operator: everybody, or the members of a workspace. */
export async function listPeople(db: Db, workspaceId: string | undefined) {
  let query = db
    .selectFrom('people as person')
    .leftJoin('members as member', 'member.subjectId', 'person.id')
    .leftJoin('workspaces as workspace', 'workspace.id', 'member.workspaceId')
    .select(['person.id', 'person.email', 'person.displayName', 'member.workspaceId'])
    .select(['workspace.name as workspaceName', 'member.role'])
    .orderBy('person.email')
    .orderBy('workspace.name')
  if (workspaceId !== undefined) query = query.where('member.workspaceId', '=', workspaceId)
  return query.execute()
}
