/** What a customer sees: its own devices, what they run, what was said about that, and what is on its way. */
import type { AppContext } from '../../../platform/context.ts'
import { AppError } from '../../../platform/errors.ts'
import { openPage, type PageRequested } from '../../../platform/http/paging.ts'
import {
  findPublishedDocument,
  listAdvisoriesOfVersions,
  readPublisherSettings,
} from '../../security-advisories/index.ts'
import { countStatements, listStatements, type ToldStatement } from '../../vex/index.ts'
import * as store from './store.ts'

type Reading = Pick<AppContext, 'db' | 'config' | 'now' | 'signingKey'>

/** Whose devices are shown, to whomever. */
export interface CustomerScope {
  workspaceId: string
  customerId: string
  customerName: string
  /** Of the link that shows them; null: the team looks. */
  linkEndsAt: Date | null
}

/** More are left out, and counted. */
const MOST_VERSIONS = 100
const MOST_UPDATES = 100

const NOTHING_SAID = { affected: 0, underInvestigation: 0, notAffected: 0, fixed: 0 }

export async function showCustomer(ctx: Reading, seen: CustomerScope) {
  const { db } = ctx
  const { workspaceId } = seen
  const running = await store.listRunningVersions(db, seen, { limit: MOST_VERSIONS + 1 })
  const shown = running.slice(0, MOST_VERSIONS)
  const ids = shown.flatMap(({ firmwareVersionId: id }) => id ?? [])
  const counted = new Map(
    (await countStatements(db, workspaceId, ids)).map(({ firmwareVersionId, ...one }) => [
      firmwareVersionId,
      one,
    ]),
  )
  const names = new Map(
    shown.map(({ firmwareVersionId: id, firmware, version }) => [id, `${firmware} ${version}`]),
  )
  const advisories = await listAdvisoriesOfVersions(ctx, workspaceId, ids)
  const { publisher } = await readPublisherSettings(ctx, db, workspaceId)
  return {
    customer: seen.customerName,
    publisher: publisher.name,
    asOf: ctx.now(),
    linkEndsAt: seen.linkEndsAt,
    devices: await store.countDevices(db, seen),
    versions: shown.map(({ firmwareVersionId: id, hasSbom, ...one }) => ({
      ...one,
      isKnown: id !== null,
      isSupported: judgeSupport(one, ctx.now()),
      // Without a list of its components, nothing is known of a version.
      statements: hasSbom ? (counted.get(id ?? '') ?? { ...NOTHING_SAID, notAssessed: 0 }) : null,
    })),
    hasMoreVersions: running.length > MOST_VERSIONS,
    updates: await store.listComingUpdates(db, seen, MOST_UPDATES),
    advisories: advisories.map(({ firmwareVersionIds, ...one }) => ({
      ...one,
      versions: firmwareVersionIds.flatMap((id) => names.get(id) ?? []),
    })),
  }
}

export type CustomerView = Awaited<ReturnType<typeof showCustomer>>

interface Support {
  supportEndsOn: string | null
  supportEndsIn: string | null
}

/** null: nobody has said until when. The day is the first without fixes; the month is the last with them. */
export function judgeSupport({ supportEndsOn, supportEndsIn }: Support, now: Date): boolean | null {
  const today = now.toISOString().slice(0, 10)
  if (supportEndsOn !== null) return today < supportEndsOn
  return supportEndsIn === null ? null : today.slice(0, 7) <= supportEndsIn
}

export async function showDevices(ctx: Reading, seen: CustomerScope, request: PageRequested) {
  const { workspaceId, customerId } = seen
  const { after, rowLimit, cut } = openPage(
    ctx,
    ['customer-devices', workspaceId, customerId],
    request,
  )
  const rows = await store.listHeldDevices(ctx.db, seen, {
    after: after && String(after[0]),
    limit: rowLimit,
  })
  const { page, next } = cut(rows, ({ id }) => [id])
  return { devices: page.map(withInstants), ...next }
}

/** PostgreSQL's JSON has a format of its own for instants. */
const withInstants = ({ runs, ...device }: store.HeldDevice) => ({
  ...device,
  runs: runs.map(({ since, ...one }) => ({ ...one, since: new Date(since) })),
})

export type DevicePage = Awaited<ReturnType<typeof showDevices>>

interface AskedVersion {
  /** The slug of its firmware. */
  firmware: string
  version: string
}

async function requireOwnVersion(
  ctx: Reading,
  seen: CustomerScope,
  { firmware, version }: AskedVersion,
) {
  const named = { slug: firmware, version }
  const [found] = await store.listRunningVersions(ctx.db, seen, { limit: 1, named })
  if (found && found.firmwareVersionId !== null)
    return { ...found, firmwareVersionId: found.firmwareVersionId }
  throw new AppError(
    'notFound',
    'not-among-your-devices',
    `No device of yours runs ${JSON.stringify(`${firmware} ${version}`)}, or nothing is known of it.`,
  )
}

/** What was said about a version that a device of the customer runs. */
export async function showStatements(
  ctx: Reading,
  seen: CustomerScope,
  { firmware, version, ...request }: AskedVersion & PageRequested,
) {
  const { workspaceId, customerId } = seen
  const one = await requireOwnVersion(ctx, seen, { firmware, version })
  const { firmwareVersionId, hasSbom, ...shown } = one
  const scope = ['customer-statements', workspaceId, customerId, firmware, version]
  const { after, rowLimit, cut } = openPage(ctx, scope, request)
  const rows = await listStatements(
    ctx.db,
    { workspaceId, firmwareVersionId },
    { after: after as ToldStatement['position'] | undefined, limit: rowLimit },
  )
  const { page, next } = cut(rows, ({ position }) => position)
  const [counted] = await countStatements(ctx.db, workspaceId, [firmwareVersionId])
  return {
    version: { ...shown, isSupported: judgeSupport(one, ctx.now()) },
    notAssessed: hasSbom ? (counted?.notAssessed ?? 0) : null,
    statements: page.map(pickTold),
    ...next,
  }
}

function pickTold(row: ToldStatement) {
  const { position: _, ...told } = row
  return told
}

export type StatementPage = Awaited<ReturnType<typeof showStatements>>

/** A published advisory that says something of a version which a device of the customer runs. */
export async function readOwnAdvisory(ctx: Reading, seen: CustomerScope, name: string) {
  const running = await store.listRunningVersions(ctx.db, seen, { limit: MOST_VERSIONS })
  const ids = running.flatMap(({ firmwareVersionId: id }) => id ?? [])
  const told = await listAdvisoriesOfVersions(ctx, seen.workspaceId, ids)
  const found = told.some((one) => one.name === name)
    ? await findPublishedDocument(ctx.db, seen.workspaceId, name)
    : undefined
  if (found) return found
  throw new AppError(
    'notFound',
    'document-not-there',
    'No advisory of this name is about a version that your devices run.',
  )
}
