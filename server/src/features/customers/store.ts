import { sql } from 'kysely'
import type { Db, Tx } from '../../platform/db/connect.ts'

interface Contact {
  email: string
  name: string | null
}

export interface CustomerFields {
  name: string
  note: string | null
  tag: string | null
  contacts: Contact[]
}

export interface CustomerRow extends CustomerFields {
  id: string
  cohorts: { id: string; name: string }[]
  deviceCount: number
  /** Links that work. */
  linkCount: number
  lastViewedAt: Date | null
  createdAt: Date
  updatedAt: Date
}

/** By name; with an id, that one alone. */
export async function listCustomers(
  db: Db,
  workspaceId: string,
  { id, now }: { id?: string; now: Date },
): Promise<CustomerRow[]> {
  const { rows } = await sql<CustomerRow>`
    select customer.id, customer.name, customer.note, customer.tag, customer.contacts, customer.created_at, customer.updated_at,
      coalesce((
        select json_agg(json_build_object('id', cohort.id, 'name', cohort.name) order by cohort.name)
        from customer_cohorts as part
        join deployment_cohorts as cohort on cohort.workspace_id = ${workspaceId} and cohort.id = part.cohort_id
        where part.workspace_id = ${workspaceId} and part.customer_id = customer.id), '[]') as cohorts,
      (select count(*)::int from customer_devices as held
        where held.workspace_id = ${workspaceId} and held.customer_id = customer.id) as device_count,
      links.link_count, links.last_viewed_at
    from customers as customer
    cross join lateral (
      select (count(*) filter (where link.revoked_at is null and link.ends_at > ${now}))::int as link_count,
        max(link.last_used_at) as last_viewed_at
      from shared_links as link
      where link.workspace_id = ${workspaceId} and link.customer_id = customer.id) as links
    where customer.workspace_id = ${workspaceId} and ${id === undefined ? sql`true` : sql`customer.id = ${id}`}
    order by lower(customer.name), customer.id`.execute(db)
  return rows
}

export async function countCustomers(tx: Tx, workspaceId: string): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*)::int as count from customers where workspace_id = ${workspaceId}`.execute(tx)
  return rows[0]?.count ?? 0
}

interface WrittenCustomer extends CustomerFields {
  workspaceId: string
  id: string
  at: Date
}

export async function insertCustomer(
  tx: Tx,
  { at, contacts, ...row }: WrittenCustomer,
): Promise<void> {
  await tx
    .insertInto('customers')
    .values({ ...row, contacts: JSON.stringify(contacts), createdAt: at, updatedAt: at })
    .execute()
}

export async function updateCustomer(
  tx: Tx,
  { workspaceId, id, at, contacts, ...fields }: WrittenCustomer,
): Promise<void> {
  await tx
    .updateTable('customers')
    .set({ ...fields, contacts: JSON.stringify(contacts), updatedAt: at })
    .where('workspaceId', '=', workspaceId)
    .where('id', '=', id)
    .execute()
}

export async function deleteCustomer(tx: Tx, workspaceId: string, id: string): Promise<void> {
  await tx
    .deleteFrom('customers')
    .where('workspaceId', '=', workspaceId)
    .where('id', '=', id)
    .execute()
}

export async function findCohorts(
  tx: Tx,
  workspaceId: string,
  cohortIds: readonly string[],
): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    select id from deployment_cohorts
    where workspace_id = ${workspaceId} and id = any(${cohortIds}::uuid[]) order by id for key share`.execute(
    tx,
  )
  return rows.map(({ id }) => id)
}

export async function replaceCohorts(
  tx: Tx,
  { workspaceId, id, cohortIds }: { workspaceId: string; id: string; cohortIds: string[] },
): Promise<void> {
  await sql`
    delete from customer_cohorts
    where workspace_id = ${workspaceId} and customer_id = ${id} and cohort_id <> all(${cohortIds}::uuid[])`.execute(
    tx,
  )
  await sql`
    insert into customer_cohorts (workspace_id, customer_id, cohort_id)
    select ${workspaceId}, ${id}, cohort_id from unnest(${cohortIds}::uuid[]) as given (cohort_id)
    on conflict do nothing`.execute(tx)
}
