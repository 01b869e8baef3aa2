/** Customers, and whose the devices are. */
import { readName } from '../../formats/one-line-name.ts'
import type { Actor } from '../../platform/actor.ts'
import type { AppContext } from '../../platform/context.ts'
import type { Db, Tx } from '../../platform/db/connect.ts'
import { refuseTaken } from '../../platform/db/failures.ts'
import { AppError, invalid, notFound } from '../../platform/errors.ts'
import type { Precondition } from '../../platform/http/editing.ts'
import { isUuid, newId } from '../../platform/ids.ts'
import { type AuditAction, recordAudit } from '../audit/index.ts'
import { isPersonEmail } from '../auth/index.ts'
import * as devices from './devices-store.ts'
import * as store from './store.ts'

const MOST_CUSTOMERS = 5_000

export type CustomerInput = Partial<store.CustomerFields> & {
  workspaceId: string
  name: string
  cohortIds?: string[]
}

export interface OneCustomer {
  workspaceId: string
  customerId: string
}

type Reading = Pick<AppContext, 'now'>

export async function listCustomers(
  { now }: Reading,
  db: Db,
  { workspaceId }: { workspaceId: string },
) {
  const rows = await store.listCustomers(db, workspaceId, { now: now() })
  return { customers: rows.map(describe) }
}

export async function getCustomer(
  { now }: Reading,
  db: Db,
  { workspaceId, customerId }: OneCustomer,
) {
  const [row] = isUuid(customerId)
    ? await store.listCustomers(db, workspaceId, { id: customerId, now: now() })
    : []
  if (!row) throw notFound('customer', customerId)
  return {
    ...describe(row),
    sharedDeviceCount: await devices.countSharedDevices(db, workspaceId, row.id),
  }
}

const describe = (row: store.CustomerRow) => ({
  ...row,
  cohortIds: row.cohorts.map(({ id }) => id),
})

export async function createCustomer(ctx: AppContext, input: CustomerInput & { actor: Actor }) {
  const { workspaceId, actor } = input
  const { cohortIds, ...fields } = readFields(input)
  return refuseTaken(nameTaken(fields.name), () =>
    ctx.db.transaction().execute(async (tx) => {
      // Before the lock, as whoever deletes a cohort holds it and waits for the lock.
      await requireCohorts(tx, workspaceId, cohortIds)
      await devices.lockPlacing(tx, workspaceId)
      if ((await store.countCustomers(tx, workspaceId)) >= MOST_CUSTOMERS)
        throw new AppError(
          'conflict',
          'too-many-customers',
          `The workspace has ${MOST_CUSTOMERS} customers; more are not taken.`,
        )
      const id = newId()
      const at = ctx.now()
      await store.insertCustomer(tx, { workspaceId, id, ...fields, at })
      await store.replaceCohorts(tx, { workspaceId, id, cohortIds })
      await devices.placeOfCustomer(tx, { workspaceId, customerId: id, at })
      const after = { ...fields, cohortIds }
      await audit(ctx, tx, { workspaceId, actor, id, action: 'customer.create', after })
      return getCustomer(ctx, tx, { workspaceId, customerId: id })
    }),
  )
}

export async function updateCustomer(
  ctx: AppContext,
  input: OneCustomer & CustomerInput & { actor: Actor; precondition?: Precondition | undefined },
) {
  const { workspaceId, actor, customerId } = input
  const { cohortIds, ...fields } = readFields(input)
  return refuseTaken(nameTaken(fields.name), () =>
    ctx.db.transaction().execute(async (tx) => {
      await requireCohorts(tx, workspaceId, cohortIds)
      await devices.lockPlacing(tx, workspaceId)
      const before = await getCustomer(ctx, tx, { workspaceId, customerId })
      input.precondition?.(before)
      const { id } = before
      const at = ctx.now()
      await store.updateCustomer(tx, { workspaceId, id, ...fields, at })
      await store.replaceCohorts(tx, { workspaceId, id, cohortIds })
      await devices.placeOfCustomer(tx, { workspaceId, customerId: id, at })
      const change = { before: pickAudited(before), after: { ...fields, cohortIds } }
      await audit(ctx, tx, { workspaceId, actor, id, action: 'customer.update', ...change })
      return getCustomer(ctx, tx, { workspaceId, customerId: id })
    }),
  )
}

/** Its links work no longer. */
export async function deleteCustomer(
  ctx: AppContext,
  { workspaceId, actor, customerId }: OneCustomer & { actor: Actor },
): Promise<void> {
  await ctx.db.transaction().execute(async (tx) => {
    await devices.lockPlacing(tx, workspaceId)
    const one = await getCustomer(ctx, tx, { workspaceId, customerId })
    await store.deleteCustomer(tx, workspaceId, one.id)
    const entry = { workspaceId, actor, id: one.id, before: pickAudited(one) }
    await audit(ctx, tx, { ...entry, action: 'customer.delete' })
  })
}

type Fields = store.CustomerFields & { cohortIds: string[] }

const pickAudited = ({ name, note, tag, contacts, cohortIds }: Fields): Fields => ({
  name,
  note,
  tag,
  contacts,
  cohortIds,
})

interface Audited {
  workspaceId: string
  actor: Actor
  id: string
  action: AuditAction
  before?: object
  after?: object
}

function audit(ctx: AppContext, tx: Tx, { id: resourceId, ...entry }: Audited): Promise<void> {
  return recordAudit(ctx, tx, { ...entry, resourceType: 'customer', resourceId })
}

function readFields({ note = null, tag = null, contacts = [], ...input }: CustomerInput): Fields {
  const seen = new Set<string>()
  return {
    name: readName(input.name),
    note,
    tag,
    contacts: contacts.map(({ email: given, name }, index) => {
      const email = given.trim().toLowerCase()
      const pointer = `/contacts/${index}`
      if (!isPersonEmail(email))
        throw invalid(`${JSON.stringify(given)} is not an e-mail address.`, `${pointer}/email`)
      if (seen.has(email)) throw invalid(`${email} is there twice.`, `${pointer}/email`)
      seen.add(email)
      return { email, name: name === null ? null : readName(name, `${pointer}/name`) }
    }),
    cohortIds: input.cohortIds ?? [],
  }
}

async function requireCohorts(
  tx: Tx,
  workspaceId: string,
  cohortIds: readonly string[],
): Promise<void> {
  const known = new Set(await store.findCohorts(tx, workspaceId, cohortIds))
  for (const [index, id] of cohortIds.entries())
    if (!known.has(id)) throw invalid(`No cohort has the id ${id}.`, `/cohortIds/${index}`)
}

const nameTaken = (name: string) => () =>
  new AppError(
    'conflict',
    'customer-name-taken',
    `A customer named ${JSON.stringify(name)} exists already.`,
  )
