/** Keeps by day whom the cases of figures belong to, and what target their SSVC outcome has. */
import { sql } from 'kysely'
import { addMs } from '../../formats/instants.ts'
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

/** Reading what a portfolio has in a hundred firmwares takes minutes: it waits for so many times as long before it is done again. */
const REST = 20
const makeRests = () => new Map<string, Date>()

/** The last state of a day counts for it. It may run any number of times, on several nodes. */
export async function maintainCaseDays(
  ctx: ReadContext & Pick<AppContext, 'memory'>,
): Promise<void> {
  const rests = ctx.memory.of(makeRests)
  for (const workspaceId of await listWorkspaceIds(ctx.db)) {
    const restsUntil = rests.get(workspaceId)
    if (restsUntil && ctx.now() < restsUntil) continue
    const startedAt = performance.now()
    await recordCaseDays(ctx, workspaceId)
    rests.set(workspaceId, addMs(ctx.now(), REST * (performance.now() - startedAt)))
  }
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
    among: sql`fact.until is null and fact.firmware_version_id in (
      select id from firmware_versions where workspace_id = ${workspaceId} and firmware_id = ${firmwareId})`,
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

/** More are not read again for an answer: it takes the database a second for 4,000. */
const MOST_CASES_READ = 10_000

/**
 * By `nameCase`. Of a day that is not over, what holds now, or, with very many cases, what held when the maintenance looked last.
 */
export async function readCaseDays(
  db: Db,
  period: Period,
  { caseCount }: { caseCount: number },
): Promise<Map<string, CaseDay[]>> {
  const { workspaceId, firmwareId } = period
  const kept = await store.listCaseDays(db, period)
  const byCase = new Map(kept.map(({ days, ...of }) => [nameCase(of), days]))
  const isReadAgain = !period.isClosed && caseCount <= MOST_CASES_READ
  if (!isReadAgain || !(await store.isAnythingKept(db, workspaceId))) return byCase
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
