/** Answers of the public path. Whatever is not public is answered like what does not exist. */
import type { JsonObject } from '../../formats/sboms/json-values.ts'
import type { AppContext } from '../../platform/context.ts'
import { notFound } from '../../platform/errors.ts'
import { isUuid } from '../../platform/ids.ts'
import { renderAdvisory, renderList } from './pages.ts'
import { type writeChanges, writeFeed, type writeIndex, writeProviderMetadata } from './provider.ts'
import { type PublisherSettings, readPublisherSettings } from './publisher-service.ts'
import * as store from './publisher-store.ts'

type Reading = Pick<AppContext, 'db' | 'config'>

/** One answer for workspaces that do not exist, and for those that publish nothing. */
async function requirePublic(ctx: Reading, workspaceId: string): Promise<PublisherSettings> {
  const row = isUuid(workspaceId) ? await store.findPublisher(ctx.db, workspaceId) : undefined
  if (row?.isPublic !== true) throw notFound('publisher', workspaceId)
  return readPublisherSettings(ctx, ctx.db, workspaceId)
}

/** Of a year: the listing of its folder (section 7.1.14). */
export async function renderPublicList(
  ctx: Reading,
  workspaceId: string,
  year?: string,
): Promise<string> {
  const { publisher, base } = await requirePublic(ctx, workspaceId)
  const published = await store.listPublished(ctx.db, workspaceId)
  const advisories = published.filter(
    ({ path }) => year === undefined || path.startsWith(`${year}/`),
  )
  if (year !== undefined && advisories.length === 0) throw notFound('security advisory', year)
  return renderList({ publisher: publisher.name, advisories, base })
}

export async function readPublicMetadata(ctx: Reading, workspaceId: string): Promise<string> {
  const publishing = await requirePublic(ctx, workspaceId)
  const updatedAt = await findLastChange(ctx, workspaceId, publishing)
  return formatJson(writeProviderMetadata({ ...publishing, updatedAt }))
}

export async function readPublicFeed(ctx: Reading, workspaceId: string): Promise<string> {
  const publishing = await requirePublic(ctx, workspaceId)
  const entries = await store.listPublished(ctx.db, workspaceId)
  const updatedAt = await findLastChange(ctx, workspaceId, publishing)
  return formatJson(writeFeed({ ...publishing, updatedAt, entries }))
}

/** `index.txt` or `changes.csv`, for readers of folders. */
export async function readPublicListing(
  ctx: Reading,
  workspaceId: string,
  write: typeof writeIndex | typeof writeChanges,
): Promise<string> {
  await requirePublic(ctx, workspaceId)
  return write(await store.listPublished(ctx.db, workspaceId))
}

async function findLastChange(
  { db }: Reading,
  workspaceId: string,
  { updatedAt }: PublisherSettings,
): Promise<Date> {
  const [changedAt, publishedAt] = [
    updatedAt ?? new Date(0),
    (await store.findLastPublication(db, workspaceId)) ?? new Date(0),
  ]
  return changedAt > publishedAt ? changedAt : publishedAt
}

const formatJson = (value: JsonObject) => `${JSON.stringify(value, undefined, 2)}\n`

interface PublicFile {
  workspaceId: string
  path: string
}

export async function readPublicDocument(ctx: Reading, { workspaceId, path }: PublicFile) {
  await requirePublic(ctx, workspaceId)
  const found = await store.findPublished(ctx.db, workspaceId, path)
  if (!found) throw notFound('security advisory', path)
  return found
}

export async function renderPublicAdvisory(ctx: Reading, of: PublicFile): Promise<string> {
  const { base } = await requirePublic(ctx, of.workspaceId)
  const { document, sha512 } = await readPublicDocument(ctx, of)
  return renderAdvisory({
    document: JSON.parse(document) as JsonObject,
    published: { sha512, url: `${base}/${of.path}`, listUrl: `${base}/` },
  })
}
