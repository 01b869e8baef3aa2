/** Keeps by day whom the cases of figures belong to, and what target their SSVC outcome has. */
import { sql } from 'kysely'
import type { AppContext } from '../../platform/context.ts'
import type { Db } from '../../platform/db/connect.ts'
import { addDiscussions } from '../discussions/index.ts'
import { addOwners } from '../owners/index.ts'
import { readTargetDays } from '../ssvc/index.ts'
import { listWorkspaceIds } from '../workspaces/index.ts'
import * as store from './case-days-store.ts'
import { formatDay, type Period } from './asked.ts'
import { nameCase } from './due.ts'
import type { CaseDay } from './facts.ts'

type ReadContext = Pick<AppContext, 'db' | 'now'>

/** The last state of a day counts for it. It may run any number of times, on several nodes. */
export async function maintainCaseDays(ctx: ReadContext): Promise<void> {
  for (const workspaceId of await listWorkspaceIds(ctx.db)) await recordCaseDays(ctx, workspaceId)
}

export async function recordCaseDays({ db, now }: ReadContext, workspaceId: string): Promise<void> {
  if (!(await store.isAnythingKept(db, workspaceId))) return
  for (const firmwareId of await store.listFirmwareIds(db, workspaceId)) {
    const states = await listCaseStates(db, { workspaceId, firmwareId })
    await store.writeCaseDays(db, { workspaceId, firmwareId, at: now() }, states)
  }
}

/** Of each vulnerability that a version of the firmware has now: its owners, and the target of its outcome. */
async function listCaseStates(
  db: Db,
  { workspaceId, firmwareId }: { workspaceId: string; firmwareId: string },
): Promise<store.CaseState[]> {
  const cases = await store.listHeldCases(db, { workspaceId, firmwareId })
  if (cases.length === 0) return []
  const targets = await readTargetDays(db, workspaceId)
  const named = cases.map((one) => ({ ...one, cveId: one.vulnerabilityId }))
  const discussed = await addDiscussions(db, workspaceId, named)
  const owned = await addOwners(db, discussed, {
    workspaceId,
    among: sql`version.firmware_id = ${firmwareId} and fact.until is null`,
    packagesOf: ({ packageIds }) => packageIds,
  })
  return owned.map(({ vulnerabilityId, detectedAt, ratedClass, contexts, owners }) => {
    const outcome = targets?.deciding.decisions.decide(ratedClass, BigInt(contexts))
    return {
      vulnerabilityId,
      detectedAt,
      owners: owners.map(({ type, id, name }) => ({ type, id, name })),
      outcome:
        outcome === undefined ? null : (targets?.deciding.tree.outcomes[outcome]?.name ?? null),
      targetDays: outcome === undefined ? null : (targets?.days[outcome] ?? null),
    }
  })
}

/** By `nameCase`. Of a day that is not over, what holds now. */
export async function readCaseDays(db: Db, period: Period): Promise<Map<string, CaseDay[]>> {
  const { workspaceId, firmwareId } = period
  const kept = await store.listCaseDays(db, period)
  const byCase = new Map(kept.map(({ days, ...of }) => [nameCase(of), days]))
  if (period.isClosed || !(await store.isAnythingKept(db, workspaceId))) return byCase
  const asked =
    firmwareId === undefined ? await store.listFirmwareIds(db, workspaceId) : [firmwareId]
  for (const id of asked)
    for (const state of await listCaseStates(db, { workspaceId, firmwareId: id })) {
      const { vulnerabilityId, detectedAt: _, ...held } = state
      const name = nameCase({ firmwareId: id, vulnerabilityId })
      const days = byCase.get(name) ?? []
      byCase.set(name, [...days, { ...held, sinceDay: formatDay(period.lastDay) }])
    }
  return byCase
}
