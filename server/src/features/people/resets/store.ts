import type { Db } from '../../../platform/db/connect.ts'
import { deleteSessions } from '../../auth/index.ts'

/** Everything that opens the account; the person stays. */
export async function forgetCredentials(tx: Db, personId: string): Promise<void> {
  await tx.updateTable('people').set({ passwordHash: null }).where('id', '=', personId).execute()
  await tx.deleteFrom('personIdentities').where('personId', '=', personId).execute()
  await forgetSecondFactors(tx, personId)
  await deleteSessions(tx, personId, { except: undefined })
}

export async function forgetSecondFactors(tx: Db, personId: string): Promise<void> {
  await tx.deleteFrom('totpSecrets').where('personId', '=', personId).execute()
  await tx.deleteFrom('recoveryCodes').where('personId', '=', personId).execute()
  await tx.deleteFrom('passkeys').where('personId', '=', personId).execute()
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
