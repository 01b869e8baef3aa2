import { readName } from '../../formats/one-line-name.ts'
import type { Actor } from '../../platform/actor.ts'
import type { AppContext } from '../../platform/context.ts'
import type { Db, Tx } from '../../platform/db/connect.ts'
import { refuseTaken } from '../../platform/db/failures.ts'
import { AppError, invalid, notFound } from '../../platform/errors.ts'
import type { Precondition } from '../../platform/http/editing.ts'
import { isUuid, newId } from '../../platform/ids.ts'
import { type AuditAction, recordAudit } from '../audit/index.ts'
import { lockFirmwareVersions } from '../firmware/index.ts'
import { MOST_FEEDS } from './limits.ts'
import { decideStanding } from './standing.ts'
import * as store from './store.ts'

interface OneFeed {
  workspaceId: string
  supplierFeedId: string
}

interface Change {
  actor: Actor
}

type Reading = Pick<AppContext, 'config' | 'now'>

const NO_EFFECTS: store.FeedEffects = {
  statementCount: 0,
  firmwareVersionCount: 0,
  decidedCount: 0,
  affectedWithoutFindingCount: 0,
}

export async function listSupplierFeeds(
  ctx: Reading,
  db: Db,
  { workspaceId }: { workspaceId: string },
) {
  const effects = await store.countEffects(db, workspaceId)
  const rows = await store.listFeeds(db, workspaceId)
  return { supplierFeeds: rows.map((row) => describe(ctx, row, effects.get(row.id))) }
}

export async function getSupplierFeed(ctx: Reading, db: Db, one: OneFeed) {
  const row = await findFeed(db, one)
  const effects = await store.countEffects(db, one.workspaceId)
  return describe(ctx, row, effects.get(row.id))
}

async function findFeed(db: Db, { workspaceId, supplierFeedId }: OneFeed) {
  const [row] = isUuid(supplierFeedId) ? await store.listFeeds(db, workspaceId, supplierFeedId) : []
  if (!row) throw notFound('supplier feed', supplierFeedId)
  return row
}

function describe(
  { config, now }: Reading,
  row: store.SupplierFeedRow,
  { statementCount, firmwareVersionCount, ...others }: store.FeedEffects = NO_EFFECTS,
) {
  const { listedCount, readCount, refusedCount, withdrawnCount, dueAt, ...shown } = row
  const { sizeBytes: _size, knownCount, ...feed } = shown
  const { enabled: isFetched, staleHours } = config.feeds
  const notFetchedCount = Math.max(0, (listedCount ?? 0) - knownCount)
  return {
    ...feed,
    ...decideStanding({ ...row, notFetchedCount, isFetched, staleHours, now: now() }),
    nextReadAt: isFetched ? dueAt : null,
    documents: {
      listed: listedCount,
      read: readCount,
      refused: refusedCount,
      withdrawn: withdrawnCount,
      notFetched: notFetchedCount,
    },
    effects: { statementCount, firmwareVersionCount, ...others },
  }
}

export async function createSupplierFeed(
  ctx: AppContext,
  input: { workspaceId: string; name: string; url: string } & Change,
) {
  const { workspaceId, actor } = input
  const fields = await readFields(ctx, input)
  return refuseTaken(taken(fields), () =>
    ctx.db.transaction().execute(async (tx) => {
      await store.lockFeeds(tx, workspaceId)
      if ((await store.listFeeds(tx, workspaceId)).length >= MOST_FEEDS)
        throw new AppError(
          'conflict',
          'too-many-supplier-feeds',
          `The workspace has ${MOST_FEEDS} feeds of suppliers; more are not taken.`,
        )
      const id = newId()
      await store.insertFeed(tx, { workspaceId, id, ...fields, at: ctx.now() })
      await audit(ctx, tx, {
        workspaceId,
        actor,
        id,
        action: 'supplier-feed.create',
        after: fields,
      })
      return getSupplierFeed(ctx, tx, { workspaceId, supplierFeedId: id })
    }),
  )
}

/** With another address, what was read is forgotten: it was not said there. */
export async function updateSupplierFeed(
  ctx: AppContext,
  input: OneFeed & Change & { name: string; url: string; precondition?: Precondition | undefined },
) {
  const { workspaceId, supplierFeedId, actor } = input
  const known = await findFeed(ctx.db, input)
  // An address that stays is not checked: a feed whose host became private can still be renamed.
  const fields =
    input.url === known.url
      ? { name: readName(input.name), url: known.url }
      : await readFields(ctx, input)
  return refuseTaken(taken(fields), () =>
    ctx.db.transaction().execute(async (tx) => {
      await store.lockFeeds(tx, workspaceId)
      const { id, name, url } = await findFeed(tx, { workspaceId, supplierFeedId })
      const before = { name, url }
      input.precondition?.(before)
      await store.updateFeed(tx, { workspaceId, id, ...fields, at: ctx.now() })
      if (fields.url !== url) {
        await lockStated(tx, { workspaceId, id })
        await store.forgetRuns(tx, { workspaceId, id })
        await store.askForRun(tx, { workspaceId, id, at: ctx.now() })
      }
      const change = { before, after: fields }
      await audit(ctx, tx, { workspaceId, actor, id, action: 'supplier-feed.update', ...change })
      return getSupplierFeed(ctx, tx, { workspaceId, supplierFeedId: id })
    }),
  )
}

/** Its statements no longer apply. Decisions that they made stay, as with VEX documents. */
export async function deleteSupplierFeed(ctx: AppContext, input: OneFeed & Change): Promise<void> {
  const { workspaceId, supplierFeedId, actor } = input
  await ctx.db.transaction().execute(async (tx) => {
    await store.lockFeeds(tx, workspaceId)
    const { id, name, url } = await findFeed(tx, { workspaceId, supplierFeedId })
    await lockStated(tx, { workspaceId, id })
    await store.deleteFeed(tx, { workspaceId, id })
    const before = { name, url }
    await audit(ctx, tx, { workspaceId, actor, id, action: 'supplier-feed.delete', before })
  })
}

async function lockStated(tx: Tx, of: { workspaceId: string; id: string }): Promise<void> {
  await lockFirmwareVersions(tx, of.workspaceId, await store.listStatedVersions(tx, of))
}

/** It is read as soon as a worker is free. */
export async function readSupplierFeedNow(ctx: AppContext, one: OneFeed) {
  const { workspaceId } = one
  return ctx.db.transaction().execute(async (tx) => {
    const { id } = await findFeed(tx, one)
    await store.askForRun(tx, { workspaceId, id, at: ctx.now() })
    return getSupplierFeed(ctx, tx, one)
  })
}

export async function listSupplierDocuments(db: Db, one: OneFeed) {
  const { id } = await findFeed(db, one)
  return { documents: await store.listDocuments(db, { workspaceId: one.workspaceId, id }) }
}

export async function listSupplierAffected(db: Db, one: OneFeed) {
  const { id } = await findFeed(db, one)
  return { statements: await store.listUnmatched(db, { workspaceId: one.workspaceId, id }) }
}

async function readFields(
  ctx: Pick<AppContext, 'http'>,
  { name, url: text }: store.FeedFields,
): Promise<store.FeedFields> {
  const url = readAddress(text)
  const refusal = await ctx.http.refusalOf(url)
  if (refusal !== undefined) throw invalid(refusal, '/url')
  return { name: readName(name), url }
}

const MOST_CHARACTERS = 2_048

/** A host alone stands for its https address. */
function readAddress(text: string): string {
  const url = URL.parse(/^[a-z][\w+.-]*:\/\//i.test(text) ? text : `https://${text}`)
  if (!url || (url.protocol !== 'https:' && url.protocol !== 'http:'))
    throw invalid('The address must be a host, or begin with https://.', '/url')
  if (url.username !== '' || url.password !== '')
    throw invalid('The address must not hold a user name or password.', '/url')
  if (url.href.length > MOST_CHARACTERS)
    throw invalid(`The address is longer than ${MOST_CHARACTERS} characters.`, '/url')
  url.hash = ''
  return url.href
}

interface Audited {
  workspaceId: string
  actor: Actor
  id: string
  action: AuditAction
  before?: object
  after?: object
}

function audit(ctx: AppContext, tx: Tx, { id: resourceId, ...entry }: Audited): Promise<void> {
  return recordAudit(ctx, tx, { ...entry, resourceType: 'supplier-feed', resourceId })
}

const taken =
  ({ name, url }: store.FeedFields) =>
  () =>
    new AppError(
      'conflict',
      'supplier-feed-taken',
      `The workspace has a feed named ${JSON.stringify(name)}, or one that reads ${url}.`,
    )
