import { sql } from 'kysely'
import type { Db } from '../../../platform/db/connect.ts'

/** The clients of the cohort's devices that were last seen at the hawkBit door. */
export async function countDdiClients(
  db: Db,
  { workspaceId, cohortId }: { workspaceId: string; cohortId: string },
): Promise<{ client: string | null; devices: number }[]> {
  return db
    .selectFrom('devices')
    .select(['client', sql<number>`count(*)::int`.as('devices')])
    .where('workspaceId', '=', workspaceId)
    .where('cohortId', '=', cohortId)
    .where('door', '=', 'Ddi')
    .groupBy('client')
    .orderBy(sql`count(*)`, 'desc')
    .execute()
}

export async function listParts(
  db: Db,
  workspaceId: string,
  firmwareVersionIds: readonly string[],
): Promise<{ part: string }[]> {
  return db
    .selectFrom('firmwareVersions as version')
    .innerJoin('firmwares as firmware', (join) =>
      join
        .onRef('firmware.workspaceId', '=', 'version.workspaceId')
        .onRef('firmware.id', '=', 'version.firmwareId'),
    )
    .select('firmware.part')
    .where('version.workspaceId', '=', workspaceId)
    .where(sql<boolean>`version.id = any(${firmwareVersionIds}::uuid[])`)
    .execute()
}
