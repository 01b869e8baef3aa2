/** E-mail addresses of a cohort that are told of advisories about what its devices run. */
import type { Actor } from '../../../platform/actor.ts'
import type { AppContext } from '../../../platform/context.ts'
import type { Db } from '../../../platform/db/connect.ts'
import { AppError, invalid, notFound } from '../../../platform/errors.ts'
import type { Precondition } from '../../../platform/http/editing.ts'
import { isUuid } from '../../../platform/ids.ts'
import { recordAudit } from '../../audit/index.ts'
import { readEmailAddress } from '../../notification-targets/index.ts'
import * as store from './store.ts'

interface OneCohort {
  workspaceId: string
  deploymentCohortId: string
}

export async function getCohortContacts(
  db: Db,
  { workspaceId, deploymentCohortId: cohortId }: OneCohort,
) {
  const found = isUuid(cohortId)
    ? await store.findCohortContacts(db, { workspaceId, cohortId })
    : undefined
  if (!found) throw notFound('deployment cohort', cohortId)
  const { addresses: contacts, updatedAt } = found
  const unwanted = await store.listUnwanted(db, workspaceId, contacts)
  return { contacts, unwanted, updatedAt }
}

export async function updateCohortContacts(
  ctx: AppContext,
  input: OneCohort & {
    contacts: readonly string[]
    actor: Actor
    precondition?: Precondition | undefined
  },
) {
  const { workspaceId, deploymentCohortId, actor, precondition } = input
  const contacts = readContacts(input.contacts)
  return ctx.db.transaction().execute(async (tx) => {
    await store.lockCohortContacts(tx, workspaceId)
    const before = await getCohortContacts(tx, { workspaceId, deploymentCohortId })
    precondition?.(before)
    const row = { workspaceId, cohortId: deploymentCohortId, addresses: contacts }
    await store.writeCohortContacts(tx, { ...row, updatedAt: ctx.now() })
    await recordAudit(ctx, tx, {
      workspaceId,
      actor,
      action: 'deployment-cohort.set-contacts',
      resourceType: 'deployment-cohort',
      resourceId: deploymentCohortId,
      before: { contacts: before.contacts },
      after: { contacts },
    })
    return getCohortContacts(tx, { workspaceId, deploymentCohortId })
  })
}

interface Resubscribe {
  workspaceId: string
  address: string
  reason: string
  actor: Actor
}

/** Whoever asked for no more mails may ask for them again in another way: the audit log has how. */
export async function resubscribe(ctx: AppContext, input: Resubscribe) {
  const { workspaceId, reason, actor } = input
  const read = readEmailAddress(input.address.trim())
  if ('fault' in read) throw invalid(`The address ${read.fault}.`, '/address')
  const { address } = read
  await ctx.db.transaction().execute(async (tx) => {
    if (!(await store.deleteUnwanted(tx, { workspaceId, address })))
      throw new AppError(
        'conflict',
        'contact-not-unsubscribed',
        `${address} did not ask for no more mails of advisories.`,
      )
    await recordAudit(ctx, tx, {
      workspaceId,
      actor,
      action: 'advisory-mail.resubscribe',
      resourceType: 'workspace',
      resourceId: workspaceId,
      after: { address, reason },
    })
  })
  return { address }
}

/** In the form in which they are compared, as people write capitals in them. */
function readContacts(written: readonly string[]): string[] {
  const addresses = written.map((text, index) => {
    const read = readEmailAddress(text.trim())
    if ('fault' in read) throw invalid(`The address ${read.fault}.`, `/contacts/${index}`)
    return read.address
  })
  return [...new Set(addresses)]
}
