/** What `admin doctor` finds, for tests to end with. */
import { CHECKS, examine } from '../src/admin/doctor.ts'
import { listWorkspaceIds } from '../src/features/workspaces/index.ts'
import type { AppContext } from '../src/platform/context.ts'
import type { Check, ExamineOptions } from '../src/platform/doctor/check.ts'

/** Samples where there is much, and no bytes of files. */
export const SHALLOW: ExamineOptions = {
  readsFiles: false,
  isDeep: false,
  onProgress: () => undefined,
}

/** The database of tests does not survive a crash of the machine, and runs no autovacuum. */
export const OF_TEST_SERVER: readonly string[] = ['durability', 'autovacuum']

/** Builders of tests write devices and files without counting them, and advisories without the job of a merge. */
const OF_TESTS = new Set([...OF_TEST_SERVER, 'usage', 'knowledge-jobs'])
const MADE_BY_SERVICE = CHECKS.filter(({ name }) => !OF_TESTS.has(name))

/** Looks at everything, and repairs nothing, unless that is said. */
export async function listFaults(
  ctx: AppContext,
  checks: readonly Check[] = MADE_BY_SERVICE,
  { isDeep = true, repairs = false } = {},
) {
  const workspaceIds = await listWorkspaceIds(ctx.db)
  const onProgress = () => undefined
  const asked = { checks, workspaceIds, readsFiles: true, isDeep, repairs, onProgress }
  const reports = await examine(ctx, asked)
  return reports.flatMap(({ name, state, faults, error }) =>
    state === 'Clean' ? [] : [{ name, state, faults, error }],
  )
}
