/** What `admin doctor` examines of ends of support: which products and release cycles packages belong to. */
import { randomUUID } from 'node:crypto'
import type { AppContext } from '../../platform/context.ts'
import type { Db } from '../../platform/db/connect.ts'
import {
  type CheckFaults,
  type ExamineOptions,
  type InstallationCheck,
  readSnapshot,
  summariseFaults,
} from '../../platform/doctor/check.ts'
import {
  deriveChangedProducts,
  listChangedProducts,
  listWrongSupport,
  repairSupport,
} from './derivation-service.ts'
import { listPackageIds, listWithoutDerivation } from './derivation-store.ts'

const FIRST = '00000000-0000-0000-0000-000000000000'
const SAMPLE = 500
const BATCH = 2_000

/** Products of which the source says something else by now, where no job is about to derive their packages. */
const listForgotten = async (db: Db): Promise<string[]> =>
  listWithoutDerivation(db, await listChangedProducts({ db }))

async function* wrongPackages(ctx: AppContext, { isAll }: { isAll: boolean }) {
  let after: string = isAll ? FIRST : randomUUID()
  for (;;) {
    const { ids, wrong } = await readSnapshot(ctx, async (db) => {
      const limit = isAll ? BATCH : SAMPLE
      const some = await listPackageIds(db, { after, limit })
      return { ids: some, wrong: await listWrongSupport(db, some) }
    })
    yield wrong
    const last = ids.at(-1)
    if (last === undefined || !isAll) return
    after = last
  }
}

async function findFaults(ctx: AppContext, { isDeep }: ExamineOptions): Promise<CheckFaults> {
  const forgotten = await readSnapshot(ctx, listForgotten)
  if (forgotten.length > 0)
    return summariseFaults(
      forgotten.map((name) => `packages of ${name} are not derived from what the source lists now`),
    )
  const first = await listPackageIds(ctx.db, { after: FIRST, limit: SAMPLE + 1 })
  const isAll = isDeep || first.length <= SAMPLE
  const faults: string[] = []
  for await (const wrong of wrongPackages(ctx, { isAll }))
    for (const { packageId, stored, expected } of wrong)
      faults.push(`package ${packageId} is of ${stored} instead of ${expected}`)
  return summariseFaults(faults, isAll ? [] : [`all but ${SAMPLE} packages: --deep derives them`])
}

/** A fault in the sample is seldom the only one: all packages are derived. */
async function repairAll(ctx: AppContext): Promise<void> {
  await deriveChangedProducts(ctx, {})
  for await (const wrong of wrongPackages(ctx, { isAll: true }))
    await repairSupport(
      ctx,
      wrong.map(({ packageId }) => packageId),
    )
}

export const supportChecks: readonly InstallationCheck[] = [
  {
    scope: 'Installation',
    name: 'support',
    meaning: 'packages belong to the products and release cycles that the source endoflife lists',
    find: findFaults,
    repair: repairAll,
  },
]
