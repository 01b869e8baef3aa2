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

/** Those of the addresses that a target of the workspace has. */
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
    .where(isHeld)
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
 * What no target has any more agreed to nothing. That it was asked, or wants no mail, is remembered for a while: taking
 * an address out and in again is no way to fill its mailbox.
 */
export async function releaseAddresses(
  tx: Tx,
  workspaceId: string,
  forgottenBefore: Date,
): Promise<void> {
  await tx
    .deleteFrom('notificationAddresses as known')
    .where('known.workspaceId', '=', workspaceId)
    .where(isReleased)
    .where(
      sql<boolean>`coalesce(greatest(known.asked_at, known.unsubscribed_at) < ${forgottenBefore}, true)`,
    )
    .execute()
  await tx
    .updateTable('notificationAddresses as known')
    .set({ confirmedAt: null, deadAt: null })
    .where('known.workspaceId', '=', workspaceId)
    .where('known.confirmedAt', 'is not', null)
    .where(isReleased)
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

/** Held by who changes targets or what an address agreed to, so that both see the same. */
export async function lockTargets(tx: Tx, workspaceId: string): Promise<void> {
  await sql`
    select pg_advisory_xact_lock(hashtext('notification-targets'), hashtext(${workspaceId}))`.execute(
    tx,
  )
}

const holders = sql`
  select from notification_target_addresses as held
  where held.workspace_id = known.workspace_id and held.address = known.address`
const isHeld = sql<boolean>`exists (${holders})`
const isReleased = sql<boolean>`not exists (${holders})`

export interface Reader {
  confirmedAt: Date | null
  unsubscribedAt: Date | null
  deadAt: Date | null
  /** Some target has the address, and one that is enabled. */
  isHeld: boolean
  isHeldEnabled: boolean
}

export async function findReader(
  db: Db,
  workspaceId: string,
  address: string,
): Promise<Reader | undefined> {
  const { rows } = await sql<Reader>`
    select reader.confirmed_at, reader.unsubscribed_at, reader.dead_at, held.*
    from notification_addresses as reader cross join lateral (
      select count(*) > 0 as is_held, count(*) filter (where target.state = 'Enabled') > 0 as is_held_enabled
      from notification_target_addresses as one join notification_targets as target
        on target.workspace_id = one.workspace_id and target.id = one.target_id
      where one.workspace_id = ${workspaceId} and one.address = reader.address
    ) as held
    where reader.workspace_id = ${workspaceId} and reader.address = ${address}`.execute(db)
  return rows[0]
}

export async function recordReader(
  db: Db,
  told: {
    workspaceId: string
    address: string
    answer: string
    at: Date
    isDelivered: boolean
    isDead: boolean
  },
): Promise<void> {
  const { workspaceId, address, answer, at, isDelivered, isDead } = told
  await sql`
    update notification_addresses set last_answer = ${answer}, last_answer_at = ${at},
      last_delivered_at = case when ${isDelivered}::boolean then ${at} else last_delivered_at end,
      dead_at = case when ${isDelivered}::boolean then null when ${isDead}::boolean then coalesce(dead_at, ${at})
        else dead_at end
    where workspace_id = ${workspaceId} and address = ${address}`.execute(db)
}
