import { sql } from 'kysely'
import type { Db, Tx } from '../../platform/db/connect.ts'
import type { AddressFacts } from './addresses/address-state.ts'
import type { Digest, QuietHours } from '../notifications/index.ts'
import type { EmailAddress } from './email-address.ts'

export const TARGET_STATES = ['Enabled', 'Disabled'] as const
export type TargetState = (typeof TARGET_STATES)[number]

export interface TargetFields {
  name: string
  type: 'Email'
  state: TargetState
  quietHours: QuietHours | null
  digest: Digest | null
}

export interface TargetAddressRow extends AddressFacts, EmailAddress {
  targetId: string
  lastDeliveredAt: Date | null
  lastAnswer: string | null
  lastAnswerAt: Date | null
}

export interface TargetRow extends TargetFields {
  id: string
  alertRuleCount: number
  createdAt: Date
  updatedAt: Date
}

function selectTargets(db: Db, workspaceId: string) {
  return db
    .selectFrom('notificationTargets as target')
    .select(['target.id', 'target.name', 'target.type', 'target.state'])
    .select(sql<QuietHours | null>`target.quiet_hours`.as('quietHours'))
    .select(sql<Digest | null>`target.digest`.as('digest'))
    .select(['target.createdAt', 'target.updatedAt'])
    .select(
      sql<number>`(
        select count(distinct rule.rule_id)::int from alert_rule_targets as rule
        where rule.workspace_id = ${workspaceId} and rule.notification_target_id = target.id
      )`.as('alertRuleCount'),
    )
    .where('target.workspaceId', '=', workspaceId)
}

export async function listTargets(db: Db, workspaceId: string): Promise<TargetRow[]> {
  return selectTargets(db, workspaceId).orderBy('target.createdAt').orderBy('target.id').execute()
}

export async function findTarget(
  db: Db,
  workspaceId: string,
  id: string,
): Promise<TargetRow | undefined> {
  return selectTargets(db, workspaceId).where('target.id', '=', id).executeTakeFirst()
}

/** Lists the addresses of one target, or of all targets of the workspace. */
export async function listTargetAddresses(
  db: Db,
  workspaceId: string,
  targetId?: string,
): Promise<TargetAddressRow[]> {
  return db
    .selectFrom('notificationTargetAddresses as held')
    .innerJoin('notificationAddresses as known', (join) =>
      join
        .onRef('known.workspaceId', '=', 'held.workspaceId')
        .onRef('known.address', '=', 'held.address'),
    )
    .select([
      'held.targetId',
      'held.emailAddress',
      'held.address',
      'known.confirmedAt',
      'known.unsubscribedAt',
      'known.deadAt',
      'known.lastDeliveredAt',
      'known.lastAnswer',
      'known.lastAnswerAt',
    ])
    .where('held.workspaceId', '=', workspaceId)
    .$if(targetId !== undefined, (query) => query.where('held.targetId', '=', targetId ?? ''))
    .orderBy('held.targetId')
    .orderBy('held.position')
    .execute()
}

export async function countTargets(db: Db, workspaceId: string): Promise<number> {
  const { count } = await db
    .selectFrom('notificationTargets')
    .select(sql<number>`count(*)::int`.as('count'))
    .where('workspaceId', '=', workspaceId)
    .executeTakeFirstOrThrow()
  return count
}

export async function insertTarget(
  tx: Tx,
  row: TargetFields & { workspaceId: string; id: string; createdAt: Date },
): Promise<void> {
  await tx
    .insertInto('notificationTargets')
    .values({ ...row, ...settings(row), updatedAt: row.createdAt })
    .execute()
}

export async function updateTarget(
  tx: Tx,
  row: TargetFields & { workspaceId: string; id: string; updatedAt: Date },
): Promise<void> {
  const { workspaceId, id, ...fields } = row
  await tx
    .updateTable('notificationTargets')
    .set({ ...fields, ...settings(fields) })
    .where('workspaceId', '=', workspaceId)
    .where('id', '=', id)
    .execute()
}

function settings({ quietHours, digest }: Pick<TargetFields, 'quietHours' | 'digest'>) {
  return {
    quietHours: quietHours && JSON.stringify(quietHours),
    digest: digest && JSON.stringify(digest),
  }
}

export async function replaceTargetAddresses(
  tx: Tx,
  workspaceId: string,
  { targetId, addresses }: { targetId: string; addresses: readonly EmailAddress[] },
): Promise<void> {
  await tx
    .deleteFrom('notificationTargetAddresses')
    .where('workspaceId', '=', workspaceId)
    .where('targetId', '=', targetId)
    .execute()
  if (addresses.length === 0) return
  const rows = addresses.map((address, position) => ({
    workspaceId,
    targetId,
    position,
    ...address,
  }))
  await tx.insertInto('notificationTargetAddresses').values(rows).execute()
}

export async function deleteTarget(tx: Tx, workspaceId: string, id: string): Promise<void> {
  await tx
    .deleteFrom('notificationTargets')
    .where('workspaceId', '=', workspaceId)
    .where('id', '=', id)
    .execute()
}

export async function findTargetName(
  db: Db,
  workspaceId: string,
  id: string | null,
): Promise<string | null> {
  if (id === null) return null
  const row = await db
    .selectFrom('notificationTargets')
    .select('name')
    .where('workspaceId', '=', workspaceId)
    .where('id', '=', id)
    .executeTakeFirst()
  return row?.name ?? null
}
