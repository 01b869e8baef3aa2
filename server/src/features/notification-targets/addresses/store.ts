import { sql } from 'kysely'
import type { Db, Tx } from '../../../platform/db/connect.ts'
import type { AddressFacts } from './address-state.ts'

export interface AddressRow extends AddressFacts {
  address: string
  askedAt: Date | null
  askedCount: number
  lastAnswer: string | null
  lastAnswerAt: Date | null
  lastDeliveredAt: Date | null
}

const COLUMNS = [
  'address',
  'confirmedAt',
  'unsubscribedAt',
  'deadAt',
  'askedAt',
  'askedCount',
  'lastAnswer',
  'lastAnswerAt',
  'lastDeliveredAt',
] as const

/** Lists those of the addresses that a target of the workspace has. */
export async function listHeldAddresses(
  db: Db,
  workspaceId: string,
  addresses: readonly string[],
): Promise<AddressRow[]> {
  return db
    .selectFrom('notificationAddresses as known')
    .select(COLUMNS)
    .where('known.workspaceId', '=', workspaceId)
    .where(sql<boolean>`known.address = any(${addresses})`)
    .where(sql<boolean>`exists (${holders(workspaceId)})`)
    .execute()
}

export async function findHeldAddress(
  db: Db,
  workspaceId: string,
  address: string,
): Promise<AddressRow | undefined> {
  const [row] = await listHeldAddresses(db, workspaceId, [address])
  return row
}

export async function addAddresses(
  tx: Tx,
  workspaceId: string,
  { addresses, createdAt }: { addresses: readonly string[]; createdAt: Date },
): Promise<void> {
  await sql`
    insert into notification_addresses (workspace_id, address, created_at)
    select ${workspaceId}, address, ${createdAt} from unnest(${addresses}::text[]) as address order by address
    on conflict (workspace_id, address) do nothing`.execute(tx)
}

/**
 * Addresses without a target lose their confirmation. Their rows stay until `forgottenBefore`, so that nobody can have the
 * same reader asked without limit by removing an address and adding it again.
 */
export async function releaseAddresses(
  tx: Tx,
  workspaceId: string,
  forgottenBefore: Date,
): Promise<void> {
  await tx
    .deleteFrom('notificationAddresses as known')
    .where('known.workspaceId', '=', workspaceId)
    .where(isReleased(workspaceId))
    .where(
      sql<boolean>`coalesce(greatest(known.asked_at, known.unsubscribed_at) < ${forgottenBefore}, true)`,
    )
    .execute()
  await tx
    .updateTable('notificationAddresses as known')
    .set({ confirmedAt: null, deadAt: null })
    .where('known.workspaceId', '=', workspaceId)
    .where('known.confirmedAt', 'is not', null)
    .where(isReleased(workspaceId))
    .execute()
}

export async function recordAsked(
  tx: Tx,
  workspaceId: string,
  { addresses, askedAt }: { addresses: readonly string[]; askedAt: Date },
): Promise<void> {
  await tx
    .updateTable('notificationAddresses')
    .set({ askedAt, askedCount: sql<number>`asked_count + 1` })
    .where('workspaceId', '=', workspaceId)
    .where(sql<boolean>`address = any(${addresses})`)
    .execute()
}

export async function confirmAddress(
  tx: Tx,
  workspaceId: string,
  { address, confirmedAt }: { address: string; confirmedAt: Date },
): Promise<void> {
  await tx
    .updateTable('notificationAddresses')
    .set({ confirmedAt, unsubscribedAt: null, deadAt: null, askedCount: 0 })
    .where('workspaceId', '=', workspaceId)
    .where('address', '=', address)
    .execute()
}

export async function unsubscribeAddress(
  tx: Tx,
  workspaceId: string,
  { address, unsubscribedAt }: { address: string; unsubscribedAt: Date },
): Promise<void> {
  await tx
    .updateTable('notificationAddresses')
    .set({ unsubscribedAt, confirmedAt: null })
    .where('workspaceId', '=', workspaceId)
    .where('address', '=', address)
    .execute()
}

/** Serialises changes of targets and of the addresses in a workspace. */
export async function lockTargets(tx: Tx, workspaceId: string): Promise<void> {
  await sql`
    select pg_advisory_xact_lock(hashtext('notification-targets'), hashtext(${workspaceId}))`.execute(
    tx,
  )
}

const holders = (workspaceId: string) => sql`
  select from notification_target_addresses as held
  where held.workspace_id = ${workspaceId} and held.address = known.address`
const isReleased = (workspaceId: string) => sql<boolean>`not exists (${holders(workspaceId)})`

export interface RecipientAddress {
  confirmedAt: Date | null
  unsubscribedAt: Date | null
  deadAt: Date | null
  hasTarget: boolean
  hasEnabledTarget: boolean
}

export async function findRecipientAddress(
  db: Db,
  workspaceId: string,
  address: string,
): Promise<RecipientAddress | undefined> {
  const { rows } = await sql<RecipientAddress>`
    select known.confirmed_at, known.unsubscribed_at, known.dead_at, held.*
    from notification_addresses as known cross join lateral (
      select count(*) > 0 as has_target, count(*) filter (where target.state = 'Enabled') > 0 as has_enabled_target
      from notification_target_addresses as one join notification_targets as target
        on target.workspace_id = one.workspace_id and target.id = one.target_id
      where one.workspace_id = ${workspaceId} and one.address = known.address
    ) as held
    where known.workspace_id = ${workspaceId} and known.address = ${address}`.execute(db)
  return rows[0]
}

export interface MailAnswer {
  workspaceId: string
  address: string
  answer: string
  at: Date
  isDelivered: boolean
  /** The server refused the address permanently. */
  isDead: boolean
}

export async function recordMailAnswer(db: Db, answered: MailAnswer): Promise<void> {
  const { workspaceId, address, answer, at, isDelivered, isDead } = answered
  await db
    .updateTable('notificationAddresses')
    .set({
      lastAnswer: answer,
      lastAnswerAt: at,
      ...(isDelivered && { lastDeliveredAt: at, deadAt: null }),
      ...(isDead && !isDelivered && { deadAt: sql<Date>`coalesce(dead_at, ${at})` }),
    })
    .where('workspaceId', '=', workspaceId)
    .where('address', '=', address)
    .execute()
}
