/** Which devices are whose. Rows follow cohorts and tags in the transactions that change these. */
import { sql } from 'kysely'
import type { Db, Tx } from '../../platform/db/connect.ts'

/** Many transactions may place devices at once, but only one may change whose they are, so that no device is missed. */
export async function lockPlacingShared(tx: Tx, workspaceId: string): Promise<void> {
  await sql`select pg_advisory_xact_lock_shared(hashtext('customers'), hashtext(${workspaceId}))`.execute(
    tx,
  )
}

export async function lockPlacing(tx: Tx, workspaceId: string): Promise<void> {
  await sql`select pg_advisory_xact_lock(hashtext('customers'), hashtext(${workspaceId}))`.execute(
    tx,
  )
}

interface Placing {
  workspaceId: string
  at: Date
}

/** These devices after their tags or cohorts changed. A device that stays with its customer keeps its day. */
export async function placeDevices(
  tx: Tx,
  { workspaceId, deviceIds, at }: Placing & { deviceIds: readonly string[] },
): Promise<void> {
  await sql`
    with belonging as materialized (
      select part.customer_id, device.id as device_id
      from devices as device
      join customer_cohorts as part on part.workspace_id = ${workspaceId} and part.cohort_id = device.cohort_id
      where device.workspace_id = ${workspaceId} and device.id = any(${deviceIds}::text[])
      union
      select customer.id, device.id
      from devices as device
      cross join unnest(device.tags) as tagged (tag)
      join customers as customer on customer.workspace_id = ${workspaceId} and customer.tag = tagged.tag
      where device.workspace_id = ${workspaceId} and device.id = any(${deviceIds}::text[])
    ),
    gone as (
      delete from customer_devices as held
      where held.workspace_id = ${workspaceId} and held.device_id = any(${deviceIds}::text[])
        and not exists (
          select from belonging
          where belonging.customer_id = held.customer_id and belonging.device_id = held.device_id)
    )
    insert into customer_devices (workspace_id, customer_id, device_id, since)
    select ${workspaceId}, customer_id, device_id, ${at} from belonging
    on conflict do nothing`.execute(tx)
}

/** All devices of one customer, after its cohorts or its tag changed. */
export async function placeOfCustomer(
  tx: Tx,
  { workspaceId, customerId, at }: Placing & { customerId: string },
): Promise<void> {
  await sql`
    with belonging as materialized (
      select device.id as device_id
      from devices as device
      join customers as customer on customer.workspace_id = ${workspaceId} and customer.id = ${customerId}
        and device.tags @> array[customer.tag]
      where device.workspace_id = ${workspaceId}
      union
      select device.id
      from customer_cohorts as part
      join devices as device on device.workspace_id = ${workspaceId} and device.cohort_id = part.cohort_id
      where part.workspace_id = ${workspaceId} and part.customer_id = ${customerId}
    ),
    gone as (
      delete from customer_devices as held
      where held.workspace_id = ${workspaceId} and held.customer_id = ${customerId}
        and held.device_id not in (select device_id from belonging)
    )
    insert into customer_devices (workspace_id, customer_id, device_id, since)
    select ${workspaceId}, ${customerId}, device_id, ${at} from belonging
    on conflict do nothing`.execute(tx)
}

export async function deleteOfDevices(
  tx: Tx,
  workspaceId: string,
  deviceIds: readonly string[],
): Promise<void> {
  await sql`
    delete from customer_devices
    where workspace_id = ${workspaceId} and device_id = any(${deviceIds}::text[])`.execute(tx)
}

/** How many devices of the customer others have, too. */
export async function countSharedDevices(
  db: Db,
  workspaceId: string,
  customerId: string,
): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*)::int as count from customer_devices as held
    where held.workspace_id = ${workspaceId} and held.customer_id = ${customerId} and exists (
      select from customer_devices as other
      where other.workspace_id = ${workspaceId} and other.device_id = held.device_id
        and other.customer_id <> held.customer_id)`.execute(db)
  return rows[0]?.count ?? 0
}

interface MisplacedDevice {
  deviceId: string
  customer: string
  /** It is shown to the customer. */
  isHeld: boolean
}

/** Devices that a customer has and should not, or the other way round. */
export async function listMisplaced(db: Db, workspaceId: string): Promise<MisplacedDevice[]> {
  const { rows } = await sql<MisplacedDevice>`
    with belonging as (
      select part.customer_id, device.id as device_id
      from customer_cohorts as part
      join devices as device on device.workspace_id = ${workspaceId} and device.cohort_id = part.cohort_id
      where part.workspace_id = ${workspaceId}
      union
      select customer.id, device.id
      from customers as customer
      join devices as device on device.workspace_id = ${workspaceId} and device.tags @> array[customer.tag]
      where customer.workspace_id = ${workspaceId}
    ),
    held as (select customer_id, device_id from customer_devices where workspace_id = ${workspaceId})
    select coalesce(held.device_id, belonging.device_id) as device_id, customer.name as customer,
      held.device_id is not null as is_held
    from belonging
    full join held on held.customer_id = belonging.customer_id and held.device_id = belonging.device_id
    join customers as customer on customer.workspace_id = ${workspaceId}
      and customer.id = coalesce(held.customer_id, belonging.customer_id)
    where held.device_id is null or belonging.device_id is null
    order by device_id, customer`.execute(db)
  return rows
}
