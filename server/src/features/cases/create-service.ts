/** Cases that people begin. */
import type { CaseType } from '../../formats/law/clocks.ts'
import { readName } from '../../formats/one-line-name.ts'
import type { Actor } from '../../platform/actor.ts'
import type { AppContext } from '../../platform/context.ts'
import type { Tx } from '../../platform/db/connect.ts'
import { AppError, invalid } from '../../platform/errors.ts'
import { newId } from '../../platform/ids.ts'
import { recordAudit } from '../audit/index.ts'
import { nameVersions } from './concerned-service.ts'
import { recordFact, type StatedFact } from './facts-service.ts'
import { listVersionsWithFinding } from './proposals-store.ts'
import { findRow, getCase, readLines } from './service.ts'
import * as store from './store.ts'

export interface CreateCase {
  workspaceId: string
  type: CaseType
  title: string
  cveId?: string | null
  productLineIds: string[]
  firmwareVersionIds?: string[]
  isDrill?: boolean
  reason?: string | null
}

export async function createCase(ctx: AppContext, input: CreateCase & { actor: Actor }) {
  const { workspaceId } = input
  const caseId = await ctx.db.transaction().execute((tx) => beginCase(ctx, tx, input))
  return getCase(ctx, ctx.db, { workspaceId, caseId })
}

interface BegunCase extends CreateCase {
  actor: Actor
  origin?: (typeof store.CASE_ORIGINS)[number]
  /** Of the first hint; now if left out. */
  signalAt?: Date
}

/** Answers its id. */
export async function beginCase(ctx: AppContext, tx: Tx, input: BegunCase): Promise<string> {
  const { workspaceId, actor, type, productLineIds, isDrill = false, reason = null } = input
  const { firmwareVersionIds = [], cveId = null } = input
  const title = readName(input.title, '/title', 255)
  if (type === 'Incident' && cveId !== null)
    throw invalid('An incident has no CVE id; a vulnerability has.', '/cveId')
  const id = newId()
  await store.lockCases(tx, workspaceId)
  const { manufacturer, names } = await readLines(tx, { workspaceId, productLineIds })
  if (cveId !== null && !isDrill)
    await refuseSecond(tx, workspaceId, { vulnerabilityId: cveId, manufacturer })
  const row = { workspaceId, id, type, title, manufacturer, isDrill, listedOn: null }
  await store.insertCase(tx, { ...row, ...readMaking(ctx, input), vulnerabilityId: cveId })
  await store.addLines(tx, { workspaceId, caseId: id, lineIds: productLineIds })
  if (cveId !== null) {
    const affected = { workspaceId, vulnerabilityId: cveId, lineIds: productLineIds }
    const versions = await listVersionsWithFinding(tx, affected)
    await store.addVersions(tx, { workspaceId, caseId: id, versions, at: ctx.now() })
  }
  const given = { workspaceId, caseId: id, firmwareVersionIds, at: ctx.now() }
  const named = await nameVersions(tx, given)
  const of = { workspaceId, caseId: id, actor }
  await recordFact(ctx, tx, {
    ...of,
    kind: 'Signal',
    instant: readSignalAt(ctx, input),
    text: reason,
  })
  if (names.length > 0) await recordFact(ctx, tx, { ...of, kind: 'LinesAdded', detail: { names } })
  if (named.length > 0)
    await recordFact(ctx, tx, { ...of, kind: 'VersionsFound', detail: { names: named } })
  await recordAudit(ctx, tx, {
    workspaceId,
    actor,
    action: 'case.create',
    resourceType: 'case',
    resourceId: id,
    after: { name: title, type, cveId, manufacturer, productLines: names, isDrill, reason },
  })
  return id
}

const readSignalAt = ({ now }: AppContext, { signalAt = now() }: BegunCase) => signalAt

const readMaking = ({ now }: AppContext, { actor, origin = 'Person' }: BegunCase) => ({
  createdAt: now(),
  createdByEmail: actor.email ?? null,
  origin,
})

interface Signal extends Pick<StatedFact, 'workspaceId' | 'caseId' | 'actor'> {
  instant: Date
  text: string
}

/** A hint from another part of the service. Answers the title of the case, which stays in its state: a hint decides nothing. */
export async function recordSignal(ctx: AppContext, tx: Tx, signal: Signal): Promise<string> {
  const { workspaceId } = signal
  await store.lockCases(tx, workspaceId)
  const { id, title } = await findRow(tx, signal)
  await store.lockCase(tx, workspaceId, id)
  await recordFact(ctx, tx, { ...signal, caseId: id, kind: 'Signal' })
  return title
}

async function refuseSecond(
  tx: Tx,
  workspaceId: string,
  named: { vulnerabilityId: string; manufacturer: string },
): Promise<void> {
  const other = await store.findCaseOf(tx, workspaceId, named)
  if (other)
    throw new AppError(
      'conflict',
      'case-exists',
      `${named.vulnerabilityId} has the case ${other.id} (${other.title}) for this manufacturer.`,
    )
}
