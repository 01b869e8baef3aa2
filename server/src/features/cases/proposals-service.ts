/**
 * Cases that Plimsoll proposes: a vulnerability that CISA or ENISA lists as exploited is in a version that is on devices. Nothing is
 * decided by that, and no clock of the law starts.
 */
import { SECOND_MS } from '../../formats/instants.ts'
import type { Actor } from '../../platform/actor.ts'
import type { AppContext } from '../../platform/context.ts'
import type { Tx } from '../../platform/db/connect.ts'
import { newId } from '../../platform/ids.ts'
import { startTicker } from '../../platform/ticker.ts'
import { recordAudit } from '../audit/index.ts'
import { recordFact } from './facts-service.ts'
import * as proposals from './proposals-store.ts'
import * as store from './store.ts'

const LOOK_EVERY_MS = 30 * SECOND_MS
const MOST_AT_ONCE = 5_000
const SERVICE: Actor = { type: 'System', id: undefined, email: undefined, requestId: undefined }

/** Any number of workers may run this. The result stops it. */
export function startCaseSchedule(ctx: AppContext): () => Promise<void> {
  const stopping = new AbortController()
  const ticker = startTicker({
    everyMs: LOOK_EVERY_MS,
    work: () => proposeCases(ctx, stopping.signal),
    log: ctx.log,
    failure: 'proposing cases failed',
  })
  ticker.runNow()
  return async () => {
    stopping.abort()
    await ticker.stop()
  }
}

export async function proposeCases(ctx: AppContext, signal: AbortSignal): Promise<void> {
  for (const { workspaceId, proposes, hasCases } of await proposals.listWorkspacesToSweep(ctx.db)) {
    if (signal.aborted) return
    if (proposes) await proposeCasesOf(ctx, workspaceId, signal)
    if (proposes || hasCases) await followLines(ctx, workspaceId)
  }
}

async function proposeCasesOf(
  ctx: AppContext,
  workspaceId: string,
  signal: AbortSignal,
): Promise<void> {
  for (let isMore = true; isMore && !signal.aborted;) {
    const found = await proposals.listProposedVersions(ctx.db, workspaceId, MOST_AT_ONCE)
    isMore = found.length === MOST_AT_ONCE
    for (const versions of Map.groupBy(found, nameCase).values()) {
      if (signal.aborted) return
      await ctx.db.transaction().execute((tx) => addToCase(ctx, tx, versions))
    }
  }
}

const nameCase = ({ workspaceId, vulnerabilityId, manufacturer }: proposals.ProposedVersion) =>
  JSON.stringify([workspaceId, vulnerabilityId, manufacturer.toLowerCase()])

async function addToCase(
  ctx: AppContext,
  tx: Tx,
  versions: readonly proposals.ProposedVersion[],
): Promise<void> {
  const [first] = versions
  if (!first) return
  const { workspaceId } = first
  await store.lockCases(tx, workspaceId)
  const known = await store.findCaseOf(tx, workspaceId, first)
  const caseId = known?.id ?? (await insertProposal(ctx, tx, first))
  await store.addVersions(tx, { workspaceId, caseId, versions, at: ctx.now() })
  const lines = new Map(
    versions.flatMap(({ lineId, lineName }) => (lineId === null ? [] : [[lineId, lineName ?? '']])),
  )
  await store.addLines(tx, { workspaceId, caseId, lineIds: [...lines.keys()] })
  const of = { workspaceId, caseId, actor: SERVICE }
  if (!known)
    await recordFact(ctx, tx, {
      ...of,
      kind: 'Signal',
      instant: ctx.now(),
      text: `Listed as exploited by ${first.sources.join(' and ')} since ${first.listedOn}.`,
    })
  const names = [...new Set(versions.map((one) => `${one.firmwareName} ${one.versionName}`))]
  await recordFact(ctx, tx, { ...of, kind: 'VersionsFound', detail: { names } })
}

async function insertProposal(
  ctx: AppContext,
  tx: Tx,
  { workspaceId, vulnerabilityId, manufacturer, listedOn, ...found }: proposals.ProposedVersion,
): Promise<string> {
  const id = newId()
  const title = `${vulnerabilityId} in ${found.componentName}`.slice(0, 255)
  await store.insertCase(tx, {
    workspaceId,
    id,
    type: 'Vulnerability',
    title,
    vulnerabilityId,
    manufacturer,
    isDrill: false,
    origin: 'Finding',
    listedOn,
    createdAt: ctx.now(),
    createdByEmail: null,
  })
  await recordAudit(ctx, tx, {
    workspaceId,
    actor: SERVICE,
    action: 'case.propose',
    resourceType: 'case',
    resourceId: id,
    after: { name: title, cveId: vulnerabilityId, manufacturer, listedOn, sources: found.sources },
  })
  return id
}

/** Firmware may come into a product line after its case was proposed. */
async function followLines(ctx: AppContext, ofWorkspace: string): Promise<void> {
  for (const adopted of await proposals.listAdoptedCases(ctx.db, ofWorkspace))
    await ctx.db.transaction().execute(async (tx) => {
      await store.lockCases(tx, adopted.workspaceId)
      await store.updateManufacturer(tx, adopted)
    })
  const missing = await proposals.listMissingLines(ctx.db, ofWorkspace)
  for (const lines of Map.groupBy(missing, ({ caseId }) => caseId).values()) {
    const [{ workspaceId, caseId } = { workspaceId: '', caseId: '' }] = lines
    await ctx.db.transaction().execute(async (tx) => {
      if (!(await store.lockCase(tx, workspaceId, caseId))) return
      await store.addLines(tx, { workspaceId, caseId, lineIds: lines.map((one) => one.lineId) })
      const names = lines.map(({ lineName }) => lineName)
      const of = { workspaceId, caseId, actor: SERVICE }
      await recordFact(ctx, tx, { ...of, kind: 'LinesAdded', detail: { names } })
    })
  }
}
