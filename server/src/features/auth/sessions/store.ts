import type { Pool } from 'pg'
import type { Db } from '../../../platform/db/connect.ts'
import type { SecondFactorState, SignInMethod } from '../principal.ts'

export interface SessionRow {
  id: string
  tokenHash: Buffer
  personId: string
  method: SignInMethod
  secondFactor: SecondFactorState
  secondFactorAt: Date | null
  createdAt: Date
  lastUsedAt: Date
  expiresAt: Date
  userAgent: string | null
  address: string
}

export async function insertSession(db: Db, row: SessionRow): Promise<void> {
  await db.insertInto('sessions').values(row).execute()
}

interface SessionHolder {
  id: string
  person_id: string
  email: string
  display_name: string
  method: SignInMethod
  second_factor: SecondFactorState
  second_factor_at: Date | null
  last_used_at: Date
  expires_at: Date
}

/** Read from the database at every request, so that ended sessions take effect at once on every node. */
export async function findSessionByHash(
  pool: Pool,
  tokenHash: Buffer,
): Promise<SessionHolder | undefined> {
  const { rows } = await pool.query<SessionHolder>({
    name: 'find-session',
    text: `select session.id, session.person_id, person.email, person.display_name, session.method,
             session.second_factor, session.second_factor_at, session.last_used_at, session.expires_at
           from sessions as session
           join people as person on person.id = session.person_id
           where session.token_hash = $1`,
    values: [tokenHash],
  })
  return rows[0]
}

export async function updateSessionUse(db: Db, id: string, usedAt: Date): Promise<void> {
  await db.updateTable('sessions').set({ lastUsedAt: usedAt }).where('id', '=', id).execute()
}

/** The session has shown a factor that its person just added. */
export async function markSecondFactor(db: Db, id: string, shownAt: Date): Promise<void> {
  await db
    .updateTable('sessions')
    .set({ secondFactor: 'Done', secondFactorAt: shownAt })
    .where('id', '=', id)
    .execute()
}

/** The sessions of a person that count as signed in, the last used first. */
export async function listSessions(
  db: Db,
  personId: string,
  { now, usedAfter }: { now: Date; usedAfter: Date },
) {
  return db
    .selectFrom('sessions')
    .select(['id', 'method', 'createdAt', 'lastUsedAt', 'expiresAt', 'userAgent', 'address'])
    .where('personId', '=', personId)
    .where('secondFactor', '!=', 'Outstanding')
    .where('expiresAt', '>', now)
    .where('lastUsedAt', '>', usedAfter)
    .orderBy('lastUsedAt', 'desc')
    .orderBy('id')
    .execute()
}

/** True when there was such a session. */
export async function deleteSession(db: Db, personId: string, sessionId: string): Promise<boolean> {
  const { numDeletedRows } = await db
    .deleteFrom('sessions')
    .where('personId', '=', personId)
    .where('id', '=', sessionId)
    .executeTakeFirst()
  return numDeletedRows > 0n
}

/** Returns how many there were. */
export async function deleteSessions(
  db: Db,
  personId: string,
  { except }: { except: string | undefined },
): Promise<number> {
  let query = db.deleteFrom('sessions').where('personId', '=', personId)
  if (except !== undefined) query = query.where('id', '!=', except)
  const { numDeletedRows } = await query.executeTakeFirst()
  return Number(numDeletedRows)
}

/** Sessions that the person's own second factor made strong are as strong as their first factor again. */
export async function weakenSessions(db: Db, personId: string): Promise<void> {
  await db
    .updateTable('sessions')
    .set({ secondFactor: 'None', secondFactorAt: null })
    .where('personId', '=', personId)
    .where('secondFactor', '=', 'Done')
    .where('method', 'in', ['Password', 'Link'])
    .execute()
}

export async function deleteOldSessions(
  db: Db,
  { now, usedBefore }: { now: Date; usedBefore: Date },
): Promise<void> {
  await db
    .deleteFrom('sessions')
    .where((eb) => eb.or([eb('expiresAt', '<=', now), eb('lastUsedAt', '<=', usedBefore)]))
    .execute()
}
