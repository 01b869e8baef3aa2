/** Advisories about the workspace's own products: drafts that people edit, listed and read. */
import { formatCountOf } from '../../formats/counts.ts'
import { parseInstant } from '../../formats/instants.ts'
import { readName } from '../../formats/one-line-name.ts'
import type { Actor } from '../../platform/actor.ts'
import type { AppContext } from '../../platform/context.ts'
import type { Db, Tx } from '../../platform/db/connect.ts'
import { AppError, invalid, notFound } from '../../platform/errors.ts'
import type { Precondition } from '../../platform/http/editing.ts'
import { newId } from '../../platform/ids.ts'
import { type AuditAction, recordAudit } from '../audit/index.ts'
import {
  type AdvisoryContent,
  decideState,
  listMissing,
  listNamedVersions,
  type WrittenVulnerability,
} from './content.ts'
import { refuseUnstorable, requireSound, sortMembers } from './content-checks.ts'
import { readPublisherSettings } from './publisher-service.ts'
import { createDraft, type DraftSource, nameVersions } from './sources-service.ts'
import * as store from './store.ts'

const MOST_ADVISORIES = 5_000
const MOST_LISTED = 500

type Settings = Pick<AppContext, 'config'>

export interface OneAdvisory {
  workspaceId: string
  /** Its id or tracking id. */
  advisoryId: string
}

export async function listAdvisories(
  db: Db,
  { workspaceId, ...filter }: store.AdvisoryFilter & { workspaceId: string },
) {
  const rows = await store.listAdvisories(db, workspaceId, { ...filter, limit: MOST_LISTED + 1 })
  return {
    securityAdvisories: rows.slice(0, MOST_LISTED).map(summarise),
    hasMore: rows.length > MOST_LISTED,
  }
}

function summarise(row: store.AdvisoryRow) {
  const { id, trackingId, title, content, heldUntil, heldReason, caseId } = row
  const last = row.revisions.at(-1)
  return {
    id,
    trackingId,
    title,
    state: decideState(row),
    vulnerabilityIds: content.vulnerabilities.map(({ vulnerabilityId }) => vulnerabilityId),
    productNames: content.products.map(({ firmware, version }) => `${firmware} ${version}`),
    caseId,
    missingCount: listMissing(content).length,
    heldUntil,
    heldReason,
    revision: last?.number ?? 0,
    publishedAt: last?.publishedAt ?? null,
    createdAt: row.createdAt,
    updatedAt: row.updatedAt,
  }
}

export async function findAdvisory(
  db: Db,
  { workspaceId, advisoryId }: OneAdvisory,
): Promise<store.AdvisoryRow> {
  const isName = /^[\x21-\x7e]{1,100}$/.test(advisoryId)
  const [row] = isName
    ? await store.listAdvisories(db, workspaceId, { id: advisoryId, limit: 1 })
    : []
  if (!row) throw notFound('security advisory', advisoryId)
  return row
}

export async function getAdvisory(ctx: Settings, db: Db, one: OneAdvisory) {
  const row = await findAdvisory(db, one)
  const { isPublic, base } = await readPublisherSettings(ctx, db, one.workspaceId)
  const { content, isChanged: _, revisions, ...columns } = row
  const last = revisions.at(-1)
  return {
    ...columns,
    ...content,
    state: decideState(row),
    missing: listMissing(content),
    revisions: revisions.map(({ path: _path, ...revision }) => revision),
    documentUrl: isPublic && last ? `${base}/${last.path}` : null,
    pageUrl: isPublic && last ? `${base}/${last.path.replace(/json$/, 'html')}` : null,
  }
}

export async function createAdvisory(
  ctx: AppContext,
  input: DraftSource & { workspaceId: string; title?: string | undefined; actor: Actor },
) {
  const { workspaceId, actor } = input
  const draft = await createDraft(ctx.db, workspaceId, input)
  const title = input.title ?? draft?.title
  if (title === undefined)
    throw invalid(
      'Name what it is made of (a case, a finding, a vulnerability, two versions), or a title.',
      '/title',
    )
  const content = draft?.content ?? {
    summary: title,
    details: null,
    vulnerabilities: [],
    products: [],
  }
  const id = newId()
  await ctx.db.transaction().execute(async (tx) => {
    await store.lockAdvisories(tx, workspaceId)
    if ((await store.countAdvisories(tx, workspaceId)) >= MOST_ADVISORIES)
      throw new AppError(
        'conflict',
        'too-many-advisories',
        `The workspace has ${formatCountOf(MOST_ADVISORIES, 'advisory', 'advisories')}; more are not taken.`,
      )
    const row = {
      workspaceId,
      id,
      title: readName(title, '/title', 255),
      content,
      isChanged: true,
      heldUntil: null,
      heldReason: null,
      caseId: draft?.caseId ?? null,
      createdByEmail: actor.email ?? null,
      updatedAt: ctx.now(),
    }
    await store.insertAdvisory(tx, row)
    const after = { name: row.title, cveIds: listIds(content), caseId: row.caseId }
    await audit(ctx, tx, { workspaceId, actor, id, action: 'security-advisory.create', after })
  })
  return getAdvisory(ctx, ctx.db, { workspaceId, advisoryId: id })
}

const listIds = ({ vulnerabilities }: AdvisoryContent) =>
  vulnerabilities.map(({ vulnerabilityId }) => vulnerabilityId)

interface AdvisoryChange extends OneAdvisory {
  title: string
  summary: string
  details?: string | null | undefined
  heldUntil?: string | null | undefined
  heldReason?: string | null | undefined
  vulnerabilities: WrittenVulnerability[]
  actor: Actor
  precondition?: Precondition | undefined
}

export async function updateAdvisory(ctx: AppContext, input: AdvisoryChange) {
  const { workspaceId, advisoryId, actor } = input
  return ctx.db.transaction().execute(async (tx) => {
    await store.lockAdvisories(tx, workspaceId)
    const before = await getAdvisory(ctx, tx, { workspaceId, advisoryId })
    input.precondition?.(before)
    const row = await findAdvisory(tx, { workspaceId, advisoryId })
    const { id } = row
    const title = row.title === input.title ? row.title : readName(input.title, '/title', 255)
    const content = await readContent(tx, input, row.content)
    const held = readHold(input)
    const isOther =
      title !== row.title || JSON.stringify(content) !== JSON.stringify(sortMembers(row.content))
    const isChanged = row.isChanged || isOther
    const written = { workspaceId, id, title, content, isChanged, ...held, updatedAt: ctx.now() }
    await store.updateAdvisory(tx, written)
    await audit(ctx, tx, {
      workspaceId,
      actor,
      id,
      action: 'security-advisory.update',
      before: describeWritten(row),
      after: describeWritten(written),
    })
    return getAdvisory(ctx, tx, { workspaceId, advisoryId: id })
  })
}

/** Without the names of products, which people do not write. */
const describeWritten = ({
  title,
  content,
  heldUntil,
  heldReason,
}: Pick<store.AdvisoryRow, 'title' | 'content' | 'heldUntil' | 'heldReason'>) => ({
  name: title,
  summary: content.summary,
  details: content.details,
  vulnerabilities: content.vulnerabilities,
  heldUntil: heldUntil?.toISOString() ?? null,
  heldReason,
})

async function readContent(
  tx: Tx,
  { workspaceId, summary, details = null, vulnerabilities }: AdvisoryChange,
  known: AdvisoryContent,
): Promise<AdvisoryContent> {
  const ids = listNamedVersions(vulnerabilities)
  const products = await nameVersions(tx, workspaceId, { ids, known: known.products })
  requireSound(vulnerabilities, products)
  const content = { summary, details, vulnerabilities, products }
  refuseUnstorable(content, '')
  return sortMembers(content)
}

function readHold({ heldUntil = null, heldReason = null }: AdvisoryChange) {
  if (heldUntil === null && heldReason === null) return { heldUntil: null, heldReason: null }
  if (heldUntil === null || heldReason === null)
    throw invalid(
      'Waiting needs a date and a reason.',
      heldUntil === null ? '/heldUntil' : '/heldReason',
    )
  refuseUnstorable(heldReason, '/heldReason')
  return { heldUntil: parseInstant(heldUntil, '/heldUntil'), heldReason }
}

/** What was published is kept. */
export async function deleteAdvisory(
  ctx: AppContext,
  { workspaceId, advisoryId, actor }: OneAdvisory & { actor: Actor },
): Promise<void> {
  await ctx.db.transaction().execute(async (tx) => {
    await store.lockAdvisories(tx, workspaceId)
    const row = await findAdvisory(tx, { workspaceId, advisoryId })
    if (row.revisions.length > 0)
      throw new AppError(
        'conflict',
        'advisory-published',
        `${row.trackingId ?? row.title} was published; withdraw it in place of deleting it.`,
      )
    await store.deleteAdvisory(tx, workspaceId, row.id)
    const before = describeWritten(row)
    await audit(ctx, tx, {
      workspaceId,
      actor,
      id: row.id,
      action: 'security-advisory.delete',
      before,
    })
  })
}

interface Audited {
  workspaceId: string
  actor: Actor
  id: string
  action: AuditAction
  before?: object
  after?: object
}

export function audit(
  ctx: AppContext,
  tx: Tx,
  { id: resourceId, ...entry }: Audited,
): Promise<void> {
  return recordAudit(ctx, tx, { ...entry, resourceType: 'security-advisory', resourceId })
}
