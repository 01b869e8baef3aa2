/** Records what people reported to whoever makes a component. */
import { decodeFindingId, encodeFindingId } from '../../formats/finding-id.ts'
import { parsePastInstant } from '../../formats/instants.ts'
import { readName } from '../../formats/one-line-name.ts'
import type { Actor } from '../../platform/actor.ts'
import type { AppContext } from '../../platform/context.ts'
import type { Db, Tx } from '../../platform/db/connect.ts'
import { AppError, notFound } from '../../platform/errors.ts'
import type { Precondition } from '../../platform/http/editing.ts'
import { isUuid, newId } from '../../platform/ids.ts'
import { type AuditAction, recordAudit } from '../audit/index.ts'
import * as store from './store.ts'

const MOST_LISTED = 500
const MOST_REPORTS = 10_000

interface OneReport {
  workspaceId: string
  upstreamReportId: string
}

interface StatedReport {
  reportedAt: string
  recipient: string
  text: string
  fix?: string | null
}

const describe = ({ vulnerabilityId: cveId, packageId, ...row }: store.UpstreamRow) => ({
  ...row,
  cveId,
  findingId: encodeFindingId({
    firmwareVersionId: row.firmwareVersionId,
    packageId,
    vulnerabilityId: cveId,
  }),
})

export async function listUpstreamReports(
  db: Db,
  { workspaceId, cveId }: { workspaceId: string; cveId?: string | undefined },
) {
  const asked = { limit: MOST_LISTED + 1, ...(cveId !== undefined && { vulnerabilityId: cveId }) }
  const rows = await store.listUpstreamReports(db, workspaceId, asked)
  return {
    upstreamReports: rows.slice(0, MOST_LISTED).map(describe),
    hasMore: rows.length > MOST_LISTED,
  }
}

export async function getUpstreamReport(db: Db, { workspaceId, upstreamReportId }: OneReport) {
  const [row] = isUuid(upstreamReportId)
    ? await store.listUpstreamReports(db, workspaceId, { id: upstreamReportId, limit: 1 })
    : []
  if (!row) throw notFound('upstream report', upstreamReportId)
  return describe(row)
}

export async function createUpstreamReport(
  ctx: AppContext,
  input: StatedReport & { workspaceId: string; findingId: string; actor: Actor },
) {
  const { workspaceId, findingId, actor } = input
  const fields = readFields(ctx, input)
  return ctx.db.transaction().execute(async (tx) => {
    await store.lockUpstreamReports(tx, workspaceId)
    if ((await store.countUpstreamReports(tx, workspaceId)) >= MOST_REPORTS)
      throw new AppError(
        'conflict',
        'too-many-upstream-reports',
        `The workspace has ${MOST_REPORTS} upstream reports; more are not taken.`,
      )
    const key = decodeFindingId(findingId)
    const named = key && (await store.findNamedFinding(tx, workspaceId, key))
    if (!named) throw notFound('finding', findingId)
    const id = newId()
    const at = ctx.now()
    const made = { createdAt: at, createdByEmail: actor.email ?? null, updatedAt: at }
    await store.insertUpstreamReport(tx, { workspaceId, id, ...named, ...fields, ...made })
    const after = { ...fields, ...tellFinding(named) }
    await audit(ctx, tx, { workspaceId, actor, id, action: 'upstream-report.create', after })
    return getUpstreamReport(tx, { workspaceId, upstreamReportId: id })
  })
}

export async function updateUpstreamReport(
  ctx: AppContext,
  input: OneReport & StatedReport & { actor: Actor; precondition?: Precondition | undefined },
) {
  const { workspaceId, actor, precondition } = input
  const fields = readFields(ctx, input)
  return ctx.db.transaction().execute(async (tx) => {
    await store.lockUpstreamReports(tx, workspaceId)
    const before = await getUpstreamReport(tx, input)
    precondition?.(before)
    const { id } = before
    await store.updateUpstreamReport(tx, { workspaceId, id }, { ...fields, updatedAt: ctx.now() })
    const { reportedAt, recipient, text, fix } = before
    await audit(ctx, tx, {
      workspaceId,
      actor,
      id,
      action: 'upstream-report.update',
      before: { reportedAt, recipient, text, fix, ...tellShown(before) },
      after: { ...fields, ...tellShown(before) },
    })
    return getUpstreamReport(tx, input)
  })
}

export async function deleteUpstreamReport(
  ctx: AppContext,
  input: OneReport & { actor: Actor },
): Promise<void> {
  const { workspaceId, actor } = input
  await ctx.db.transaction().execute(async (tx) => {
    await store.lockUpstreamReports(tx, workspaceId)
    const shown = await getUpstreamReport(tx, input)
    const { id, reportedAt, recipient, text, fix } = shown
    await store.deleteUpstreamReport(tx, { workspaceId, id })
    const before = { reportedAt, recipient, text, fix, ...tellShown(shown) }
    await audit(ctx, tx, { workspaceId, actor, id, action: 'upstream-report.delete', before })
  })
}

function readFields(
  { now }: Pick<AppContext, 'now'>,
  { reportedAt, recipient, text, fix = null }: StatedReport,
): store.UpstreamFields {
  return {
    reportedAt: parsePastInstant(reportedAt, now(), '/reportedAt'),
    recipient: readName(recipient, '/recipient'),
    text,
    fix,
  }
}

type Shown = Awaited<ReturnType<typeof getUpstreamReport>>

const tellFinding = ({ vulnerabilityId, componentName, componentVersion }: store.NamedFinding) => ({
  cveId: vulnerabilityId,
  component: [componentName, componentVersion].filter(Boolean).join(' '),
})
const tellShown = ({ cveId, ...shown }: Shown) =>
  tellFinding({ ...shown, vulnerabilityId: cveId, packageId: '' })

interface Audited {
  workspaceId: string
  actor: Actor
  id: string
  action: AuditAction
  before?: object
  after?: object
}

const audit = (ctx: AppContext, tx: Tx, { id: resourceId, ...entry }: Audited) =>
  recordAudit(ctx, tx, { ...entry, resourceType: 'upstream-report', resourceId })
