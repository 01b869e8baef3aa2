/** Advisories leave the house: as revisions that are kept for ever. */
import { createHash } from 'node:crypto'
import type { JsonObject } from '../../formats/sboms/json-values.ts'
import {
  type Advisory,
  nameCsafFile,
  writeAdvisory,
  writeWithdrawal,
} from '../../formats/vex/write-advisory.ts'
import type { Actor } from '../../platform/actor.ts'
import type { AppContext } from '../../platform/context.ts'
import type { Db, Tx } from '../../platform/db/connect.ts'
import { AppError, notFound } from '../../platform/errors.ts'
import type { Precondition } from '../../platform/http/editing.ts'
import { VERSION } from '../../version.ts'
import { decideState, listMissing, listProducts, listVulnerabilities } from './content.ts'
import { planAdvisoryMails, readRecipients } from './mails/delivery-service.ts'
import { renderAdvisory } from './pages.ts'
import { type PublisherSettings, readPublisherSettings } from './publisher-service.ts'
import { audit, findAdvisory, getAdvisory, type OneAdvisory } from './service.ts'
import * as store from './store.ts'

interface Publication extends OneAdvisory {
  /** By mail; left out: they are told. */
  tellContacts?: boolean | undefined
  actor: Actor
  precondition?: Precondition | undefined
}

export function publishAdvisory(ctx: AppContext, input: Publication & { summary: string }) {
  return addRevision(ctx, input, (row) => {
    const state = decideState(row)
    if (state === 'Published')
      throw refuse('advisory-unchanged', 'Nothing was changed since the last revision.')
    const missing = listMissing(row.content)
    if (missing.length > 0) throw refuse('advisory-incomplete', missing.slice(0, 20).join(' '))
    const { heldUntil, heldReason } = row
    if (heldUntil !== null && heldUntil > ctx.now())
      throw refuse(
        'advisory-held',
        `It waits until ${heldUntil.toISOString()}: ${heldReason ?? 'no reason'}.`,
      )
    return { action: 'security-advisory.publish', summary: input.summary, isWithdrawal: false }
  })
}

export function withdrawAdvisory(ctx: AppContext, input: Publication & { reason: string }) {
  return addRevision(ctx, input, (row) => {
    const state = decideState(row)
    if (state === 'Draft')
      throw refuse('advisory-not-published', 'It was never published; a draft can be deleted.')
    if (state === 'Withdrawn') throw refuse('advisory-already-withdrawn', 'It is withdrawn.')
    return { action: 'security-advisory.withdraw', summary: input.reason, isWithdrawal: true }
  })
}

const refuse = (code: string, detail: string) => new AppError('conflict', code, detail)

interface Decided {
  action: 'security-advisory.publish' | 'security-advisory.withdraw'
  summary: string
  isWithdrawal: boolean
}

async function addRevision(
  ctx: AppContext,
  { workspaceId, advisoryId, actor, precondition, tellContacts = true }: Publication,
  decide: (row: store.AdvisoryRow) => Decided,
) {
  return ctx.db.transaction().execute(async (tx) => {
    await store.lockAdvisories(tx, workspaceId)
    precondition?.(await getAdvisory(ctx, tx, { workspaceId, advisoryId }))
    const row = await findAdvisory(tx, { workspaceId, advisoryId })
    const { action, summary, isWithdrawal } = decide(row)
    const publishing = await readPublisherSettings(ctx, tx, workspaceId)
    const last = row.revisions.at(-1)
    const publishedAt = laterOf(ctx.now(), last?.publishedAt)
    const trackingId =
      row.trackingId ?? (await giveNumber(tx, workspaceId, publishing, publishedAt))
    const path = last?.path ?? `${publishedAt.getUTCFullYear()}/${nameCsafFile(trackingId)}`
    const advisory = describeAdvisory({ ...row, trackingId }, publishing, {
      path,
      next: { date: publishedAt.toISOString(), summary },
    })
    const written = isWithdrawal ? writeWithdrawal(advisory, summary) : writeAdvisory(advisory)
    const document = formatDocument(written)
    const sha512 = createHash('sha512').update(document).digest('hex')
    await store.markPublished(tx, { workspaceId, id: row.id, trackingId })
    await store.insertRevision(tx, {
      workspaceId,
      advisoryId: row.id,
      number: advisory.revisions.length,
      publishedAt,
      publishedByEmail: actor.email ?? null,
      summary,
      title: isWithdrawal ? `Withdrawn: ${row.title}` : row.title,
      isWithdrawal,
      path,
      document,
      sha512,
    })
    const number = advisory.revisions.length
    const told = { workspaceId, advisoryId: row.id, content: row.content }
    const recipients = tellContacts ? await readRecipients(tx, told) : []
    const mailCount = await planAdvisoryMails(ctx, tx, { ...told, number }, recipients)
    const after = {
      name: row.title,
      trackingId,
      revision: number,
      mailCount,
      reason: summary,
      sha512,
      isPublic: publishing.isPublic,
    }
    await audit(ctx, tx, { workspaceId, actor, id: row.id, action, after })
    return getAdvisory(ctx, tx, { workspaceId, advisoryId: row.id })
  })
}

/** Dates of revisions never go back, even if the clock of the host does. */
const laterOf = (now: Date, last: Date | undefined): Date =>
  last !== undefined && last > now ? last : now

const DIGITS = 4

async function giveNumber(
  tx: Tx,
  workspaceId: string,
  { prefix }: PublisherSettings,
  at: Date,
): Promise<string> {
  const year = at.getUTCFullYear()
  const last = await store.findLastNumber(tx, workspaceId, { prefix, year })
  return `${prefix}-${year}-${String(last + 1).padStart(DIGITS, '0')}`
}

interface Next {
  path: string | undefined
  next: { date: string; summary: string }
}

function describeAdvisory(
  row: store.AdvisoryRow & { trackingId: string },
  { publisher, base }: PublisherSettings,
  { path, next }: Next,
): Advisory {
  const { trackingId, title, content, revisions } = row
  const products = listProducts(content.products, publisher.name)
  return {
    trackingId,
    isDraft: path === undefined,
    publisher,
    title,
    summary: content.summary,
    details: content.details ?? undefined,
    revisions: [
      ...revisions.map(({ publishedAt, summary }) => ({
        date: publishedAt.toISOString(),
        summary,
      })),
      next,
    ],
    tool: { name: 'Plimsoll', version: VERSION },
    url: path === undefined ? undefined : `${base}/${path}`,
    products: [...products.values()],
    vulnerabilities: listVulnerabilities(content.vulnerabilities, products),
  }
}

const formatDocument = (document: JsonObject) => `${JSON.stringify(document, undefined, 2)}\n`

/** The document of a revision as it was published, or of the draft as it would be. */
export async function readDocument(
  ctx: Pick<AppContext, 'config' | 'now'>,
  db: Db,
  { workspaceId, advisoryId, revision }: OneAdvisory & { revision?: number | undefined },
): Promise<string> {
  const row = await findAdvisory(db, { workspaceId, advisoryId })
  if (revision !== undefined) {
    const found = await store.findRevision(db, { workspaceId, id: row.id, number: revision })
    if (!found) throw notFound('revision', String(revision))
    return found.document
  }
  const publishing = await readPublisherSettings(ctx, db, workspaceId)
  const date = laterOf(ctx.now(), row.revisions.at(-1)?.publishedAt)
  const trackingId = row.trackingId ?? `${publishing.prefix}-${date.getUTCFullYear()}-draft`
  const next = { date: date.toISOString(), summary: 'Draft.' }
  const advisory = describeAdvisory({ ...row, trackingId }, publishing, { path: undefined, next })
  return formatDocument(writeAdvisory(advisory))
}

/** The page as everybody would see it, which says that nobody does yet. */
export async function previewPage(
  ctx: Pick<AppContext, 'config' | 'now'>,
  db: Db,
  of: OneAdvisory & { revision?: number | undefined },
): Promise<string> {
  const document = await readDocument(ctx, db, of)
  return renderAdvisory({ document: JSON.parse(document) as JsonObject, published: undefined })
}
