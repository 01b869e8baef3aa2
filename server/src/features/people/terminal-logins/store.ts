import type { Db } from '../../../platform/db/connect.ts'

const STATES = ['Pending', 'Approved', 'Refused'] as const

export interface TerminalLoginRow {
  id: string
  deviceCodeHash: Buffer
  userCode: string
  client: string
  host: string
  address: string
  state: (typeof STATES)[number]
  createdAt: Date
  expiresAt: Date
  intervalSeconds: number
}

export async function insertTerminalLogin(db: Db, row: TerminalLoginRow): Promise<void> {
  await db.insertInto('terminalLogins').values(row).execute()
}

/** One that waits for a decision. */
export async function findOpenLogin(db: Db, userCode: string, now: Date) {
  return db
    .selectFrom('terminalLogins')
    .select(['id', 'userCode', 'client', 'host', 'address', 'createdAt', 'expiresAt'])
    .where('userCode', '=', userCode)
    .where('state', '=', 'Pending')
    .where('expiresAt', '>', now)
    .executeTakeFirst()
}

interface Approval {
  state: 'Approved'
  personId: string
  workspaceId: string
  scopes: string[]
  keyExpiresAt: Date
}

type Decision = Approval | { state: 'Refused' }

/** Two decisions at once: one of them gets undefined. */
export async function decideLogin(db: Db, { id, now }: { id: string; now: Date }, to: Decision) {
  const { numUpdatedRows } = await db
    .updateTable('terminalLogins')
    .set(to)
    .where('id', '=', id)
    .where('state', '=', 'Pending')
    .where('expiresAt', '>', now)
    .executeTakeFirst()
  return numUpdatedRows > 0n
}

/** Locked by an update: a key is given out once. */
export async function lockLogin(db: Db, deviceCodeHash: Buffer) {
  return db
    .updateTable('terminalLogins')
    .set((eb) => ({ state: eb.ref('state') }))
    .where('deviceCodeHash', '=', deviceCodeHash)
    .returning(['id', 'state', 'host', 'expiresAt', 'intervalSeconds', 'lastPolledAt'])
    .returning(['personId', 'workspaceId', 'scopes', 'keyExpiresAt'])
    .executeTakeFirst()
}

export async function updatePoll(
  db: Db,
  id: string,
  poll: { lastPolledAt: Date; intervalSeconds: number },
): Promise<void> {
  await db.updateTable('terminalLogins').set(poll).where('id', '=', id).execute()
}

export async function deleteLogin(db: Db, id: string): Promise<void> {
  await db.deleteFrom('terminalLogins').where('id', '=', id).execute()
}

export async function deleteLoginsOfPerson(db: Db, personId: string): Promise<void> {
  await db.deleteFrom('terminalLogins').where('personId', '=', personId).execute()
}

export async function deleteOldLogins(db: Db, before: Date): Promise<void> {
  await db.deleteFrom('terminalLogins').where('expiresAt', '<', before).execute()
}

/** The keys that terminals of a person have, the newest first. */
export async function listLoginKeys(db: Db, personId: string, now: Date) {
  return db
    .selectFrom('apiKeys as key')
    .innerJoin('workspaces as workspace', 'workspace.id', 'key.workspaceId')
    .select(['key.id', 'key.name', 'key.scopes', 'key.createdAt', 'key.expiresAt'])
    .select(['key.lastUsedAt', 'key.workspaceId', 'workspace.name as workspaceName'])
    .where('key.personId', '=', personId)
    .where('key.revokedAt', 'is', null)
    .where((eb) => eb.or([eb('key.expiresAt', 'is', null), eb('key.expiresAt', '>', now)]))
    .orderBy('key.createdAt', 'desc')
    .orderBy('key.id', 'desc')
    .execute()
}
