import type { Db } from '../../../platform/db/connect.ts'

/** A secret that was not confirmed is replaced; false: a confirmed one is in force. */
export async function putSecret(
  db: Db,
  row: { personId: string; secret: Buffer; createdAt: Date },
): Promise<boolean> {
  const { numInsertedOrUpdatedRows } = await db
    .insertInto('totpSecrets')
    .values(row)
    .onConflict((conflict) =>
      conflict
        .column('personId')
        .doUpdateSet({ secret: row.secret, createdAt: row.createdAt })
        .where('totpSecrets.confirmedAt', 'is', null),
    )
    .executeTakeFirst()
  return (numInsertedOrUpdatedRows ?? 0n) > 0n
}

/** Locks the secret by an update, so that a code is taken once also by requests at the same time. */
export async function lockSecret(tx: Db, personId: string) {
  return tx
    .updateTable('totpSecrets')
    .set((eb) => ({ lastStep: eb.ref('lastStep') }))
    .where('personId', '=', personId)
    .returning(['secret', 'confirmedAt', 'lastStep'])
    .executeTakeFirst()
}

export async function updateSecret(
  tx: Db,
  personId: string,
  change: { lastStep: number; confirmedAt: Date },
): Promise<void> {
  await tx.updateTable('totpSecrets').set(change).where('personId', '=', personId).execute()
}

export async function deleteSecret(tx: Db, personId: string): Promise<void> {
  await tx.deleteFrom('totpSecrets').where('personId', '=', personId).execute()
  await tx.deleteFrom('recoveryCodes').where('personId', '=', personId).execute()
}

export async function replaceRecoveryCodes(
  tx: Db,
  personId: string,
  { hashes, createdAt }: { hashes: readonly Buffer[]; createdAt: Date },
): Promise<void> {
  await tx.deleteFrom('recoveryCodes').where('personId', '=', personId).execute()
  const rows = hashes.map((codeHash) => ({ personId, codeHash, createdAt }))
  await tx.insertInto('recoveryCodes').values(rows).execute()
}

/** True once for each code. */
export async function useRecoveryCode(
  tx: Db,
  personId: string,
  { codeHash, usedAt }: { codeHash: Buffer; usedAt: Date },
): Promise<boolean> {
  const { numUpdatedRows } = await tx
    .updateTable('recoveryCodes')
    .set({ usedAt })
    .where('personId', '=', personId)
    .where('codeHash', '=', codeHash)
    .where('usedAt', 'is', null)
    .executeTakeFirst()
  return numUpdatedRows > 0n
}
