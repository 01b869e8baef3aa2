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
import { recordFact } from './facts-service.ts'
import { listVersionsWithFinding } from './proposals-store.ts'
import { getCase, readLines } from './service.ts'
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
  const { workspaceId, actor, type, productLineIds, isDrill = false, reason = null } = input
  const { firmwareVersionIds = [] } = input
  const cveId = input.cveId ?? null
  const title = readName(input.title, '/title', 255)
  if (type === 'Incident' && cveId !== null)
    throw invalid('An incident has no CVE id; a vulnerability has.', '/cveId')
  const id = newId()
  await ctx.db.transaction().execute(async (tx) => {
    await store.lockCases(tx, workspaceId)
    const { manufacturer, names } = await readLines(tx, { workspaceId, productLineIds })
    if (cveId !== null && !isDrill)
      await refuseSecond(tx, workspaceId, { vulnerabilityId: cveId, manufacturer })
    const row = { workspaceId, id, type, title, manufacturer, isDrill, listedOn: null }
    const createdByEmail = actor.email ?? null
    const made = { createdAt: ctx.now(), createdByEmail, origin: 'Person' as const }
    await store.insertCase(tx, { ...row, ...made, vulnerabilityId: cveId })
    await store.addLines(tx, { workspaceId, caseId: id, lineIds: productLineIds })
    if (cveId !== null) {
      const affected = { workspaceId, vulnerabilityId: cveId, lineIds: productLineIds }
      const versions = await listVersionsWithFinding(tx, affected)
      await store.addVersions(tx, { workspaceId, caseId: id, versions, at: ctx.now() })
    }
    const given = { workspaceId, caseId: id, firmwareVersionIds, at: ctx.now() }
    const named = await nameVersions(tx, given)
    const of = { workspaceId, caseId: id, actor }
    await recordFact(ctx, tx, { ...of, kind: 'Signal', instant: ctx.now(), text: reason })
    if (names.length > 0)
      await recordFact(ctx, tx, { ...of, kind: 'LinesAdded', detail: { names } })
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
  })
  return getCase(ctx, ctx.db, { workspaceId, caseId: id })
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
