/** Contacts of cohorts, mails of revisions, and who wants none. */
import { sql } from 'kysely'
import type { Db, Tx } from '../../../platform/db/connect.ts'
import type { MailState, Recipient, RecipientReason } from './recipients.ts'

interface OfCohort {
  workspaceId: string
  cohortId: string
}

export interface CohortContacts {
  addresses: string[]
  updatedAt: Date | null
}

/** undefined: there is no such cohort. */
export async function findCohortContacts(
  db: Db,
  { workspaceId, cohortId }: OfCohort,
): Promise<(CohortContacts & { name: string }) | undefined> {
  const { rows } = await sql<CohortContacts & { name: string }>`
    select cohort.name, coalesce(held.addresses, '{}') as addresses, held.updated_at
    from deployment_cohorts as cohort
    left join cohort_contacts as held on held.workspace_id = ${workspaceId} and held.cohort_id = cohort.id
    where cohort.workspace_id = ${workspaceId} and cohort.id = ${cohortId}`.execute(db)
  return rows[0]
}

export async function lockCohortContacts(tx: Tx, workspaceId: string): Promise<void> {
  await sql`select pg_advisory_xact_lock(hashtextextended('cohort-contacts:' || ${workspaceId}, 0))`.execute(
    tx,
  )
}

export async function writeCohortContacts(
  tx: Tx,
  row: OfCohort & { addresses: string[]; updatedAt: Date },
): Promise<void> {
  const { addresses, updatedAt } = row
  await tx
    .insertInto('cohortContacts')
    .values(row)
    .onConflict((conflict) =>
      conflict.columns(['workspaceId', 'cohortId']).doUpdateSet({ addresses, updatedAt }),
    )
    .execute()
}

/** Contacts of cohorts with a device that runs one of the versions now. */
export async function listCohortRecipients(
  db: Db,
  workspaceId: string,
  versionIds: readonly string[],
): Promise<Recipient[]> {
  if (versionIds.length === 0) return []
  const { rows } = await sql<Recipient>`
    select address, json_agg(json_build_object('kind', 'Cohort', 'id', cohort.id, 'name', cohort.name)
      order by cohort.name, cohort.id) as reasons
    from deployment_cohorts as cohort
    join cohort_contacts as held on held.workspace_id = ${workspaceId} and held.cohort_id = cohort.id
    cross join unnest(held.addresses) as address
    where cohort.workspace_id = ${workspaceId}
      and exists (select from devices as device
        join device_firmwares as running on running.workspace_id = ${workspaceId} and running.device_id = device.id
        where device.workspace_id = ${workspaceId} and device.cohort_id = cohort.id
          and running.firmware_version_id = any(${versionIds}::uuid[]))
    group by address order by address`.execute(db)
  return rows
}

/** Contacts of customers with a device that runs one of the versions now. */
export async function listCustomerRecipients(
  db: Db,
  workspaceId: string,
  versionIds: readonly string[],
): Promise<Recipient[]> {
  if (versionIds.length === 0) return []
  const { rows } = await sql<Recipient>`
    select lower(contact ->> 'email') as address, json_agg(json_build_object('kind', 'Customer', 'id', customer.id,
      'name', customer.name) order by customer.name, customer.id) as reasons
    from customers as customer
    cross join jsonb_array_elements(customer.contacts) as contact
    where customer.workspace_id = ${workspaceId}
      and exists (select from customer_devices as held
        join device_firmwares as running on running.workspace_id = ${workspaceId} and running.device_id = held.device_id
        where held.workspace_id = ${workspaceId} and held.customer_id = customer.id
          and running.firmware_version_id = any(${versionIds}::uuid[]))
    group by lower(contact ->> 'email') order by address`.execute(db)
  return rows
}

/** Whoever got a mail of a revision of the advisory. */
export async function listEarlierRecipients(
  db: Db,
  { workspaceId, advisoryId }: { workspaceId: string; advisoryId: string },
): Promise<Recipient[]> {
  const { rows } = await sql<Recipient>`
    select address, '[{"kind": "EarlierRevision", "id": null, "name": null}]'::json as reasons
    from advisory_mails
    where workspace_id = ${workspaceId} and advisory_id = ${advisoryId} and state in ('Waiting', 'Delivered')
    group by address order by address`.execute(db)
  return rows
}

/** Those of the addresses that want no more mails. */
export async function listUnwanted(
  db: Db,
  workspaceId: string,
  addresses: readonly string[],
): Promise<string[]> {
  const { rows } = await sql<{ address: string }>`
    select address from unwanted_advisory_mails
    where workspace_id = ${workspaceId} and address = any(${addresses}::text[])
    order by address`.execute(db)
  return rows.map(({ address }) => address)
}

export async function addUnwanted(
  tx: Tx,
  row: { workspaceId: string; address: string; since: Date },
): Promise<void> {
  await tx
    .insertInto('unwantedAdvisoryMails')
    .values(row)
    .onConflict((conflict) => conflict.doNothing())
    .execute()
}

/** Answers false if it wants mails. */
export async function deleteUnwanted(
  tx: Tx,
  { workspaceId, address }: { workspaceId: string; address: string },
): Promise<boolean> {
  const { numDeletedRows } = await tx
    .deleteFrom('unwantedAdvisoryMails')
    .where('workspaceId', '=', workspaceId)
    .where('address', '=', address)
    .executeTakeFirst()
  return numDeletedRows > 0n
}

interface OfRevision {
  workspaceId: string
  advisoryId: string
  number: number
}

export async function insertMails(
  tx: Tx,
  { workspaceId, advisoryId, number }: OfRevision,
  {
    recipients,
    dueAt,
  }: { recipients: readonly (Recipient & { isUnwanted: boolean })[]; dueAt: Date },
): Promise<void> {
  await sql`
    insert into advisory_mails (workspace_id, advisory_id, number, address, reasons, state, due_at, ended_at)
    select ${workspaceId}, ${advisoryId}, ${number}, told.address, told.reasons,
      case when told."isUnwanted" then 'Unwanted' else 'Waiting' end, ${dueAt},
      case when told."isUnwanted" then ${dueAt}::timestamptz end
    from jsonb_to_recordset(${JSON.stringify(recipients)}::jsonb) as told (address text, reasons jsonb, "isUnwanted" boolean)`.execute(
    tx,
  )
}

export interface MailRow {
  number: number
  address: string
  reasons: RecipientReason[]
  state: MailState
  attempts: number
  answer: string | null
  endedAt: Date | null
}

/** Newest revision first. */
export async function listMails(
  db: Db,
  { workspaceId, advisoryId, limit }: { workspaceId: string; advisoryId: string; limit: number },
): Promise<MailRow[]> {
  const { rows } = await sql<MailRow>`
    select number, address, reasons, state, attempts, answer, ended_at from advisory_mails
    where workspace_id = ${workspaceId} and advisory_id = ${advisoryId}
    order by number desc, address limit ${limit}`.execute(db)
  return rows
}

export interface DueMail extends OfRevision {
  address: string
}

/** Mails that are due and that nobody sends now. */
export async function listDueMails(
  db: Db,
  { now, limit }: { now: Date; limit: number },
): Promise<DueMail[]> {
  return db
    .selectFrom('advisoryMails')
    .select(['workspaceId', 'advisoryId', 'number', 'address'])
    .where('state', '=', 'Waiting')
    .where('dueAt', '<=', now)
    .where((eb) => eb.or([eb('claimedUntil', 'is', null), eb('claimedUntil', '<=', now)]))
    .orderBy('dueAt')
    .orderBy('workspaceId')
    .orderBy('address')
    .limit(limit)
    .execute()
}

export interface ClaimedMail extends DueMail {
  attempts: number
  document: string
  path: string
  isWithdrawal: boolean
  isUnwanted: boolean
}

/** undefined: another worker has it, or it has ended. */
export async function claimMail(
  db: Db,
  { workspaceId, advisoryId, number, address }: DueMail,
  { now, until }: { now: Date; until: Date },
): Promise<ClaimedMail | undefined> {
  const { rows } = await sql<ClaimedMail>`
    update advisory_mails as mail set claimed_until = ${until}, attempts = mail.attempts + 1
    from security_advisory_revisions as revision
    where mail.workspace_id = ${workspaceId} and mail.advisory_id = ${advisoryId} and mail.number = ${number}
      and mail.address = ${address} and mail.state = 'Waiting' and mail.due_at <= ${now}
      and (mail.claimed_until is null or mail.claimed_until <= ${now})
      and revision.workspace_id = ${workspaceId} and revision.advisory_id = ${advisoryId} and revision.number = ${number}
    returning mail.workspace_id, mail.advisory_id, mail.number, mail.address, mail.attempts, revision.document,
      revision.path, revision.is_withdrawal, exists (
        select from unwanted_advisory_mails as unwanted
        where unwanted.workspace_id = ${workspaceId} and unwanted.address = ${address}) as is_unwanted`.execute(
    db,
  )
  return rows[0]
}

export async function recordEnd(
  db: Db,
  { workspaceId, advisoryId, number, address }: DueMail,
  ended: { state: 'Delivered' | 'Refused' | 'Unwanted'; answer: string | null; endedAt: Date },
): Promise<void> {
  await db
    .updateTable('advisoryMails')
    .set({ ...ended, claimedUntil: null })
    .where('workspaceId', '=', workspaceId)
    .where('advisoryId', '=', advisoryId)
    .where('number', '=', number)
    .where('address', '=', address)
    .execute()
}

/** Nobody sends it before. */
export async function recordDelay(
  db: Db,
  { workspaceId, advisoryId, number, address }: DueMail,
  { until, answer }: { until: Date; answer: string },
): Promise<void> {
  await db
    .updateTable('advisoryMails')
    .set({ dueAt: until, claimedUntil: null, answer })
    .where('workspaceId', '=', workspaceId)
    .where('advisoryId', '=', advisoryId)
    .where('number', '=', number)
    .where('address', '=', address)
    .execute()
}
