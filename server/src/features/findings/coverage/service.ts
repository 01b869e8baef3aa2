/** How many components of a firmware version could be judged, and why the others could not. */
import type { AppContext } from '../../../platform/context.ts'
import { getFirmwareVersion } from '../../firmware/index.ts'
import * as store from './store.ts'

/** Nothing has to be told of these: they are not in the firmware, or somebody took responsibility. */
const EXCLUDED = /^(?:scope |ignored$)/

export async function readCoverage(
  ctx: AppContext,
  input: { workspaceId: string; firmwareVersionId: string },
) {
  const { workspaceId } = input
  const { id } = await getFirmwareVersion(ctx.db, workspaceId, input.firmwareVersionId)
  const version = { workspaceId, firmwareVersionId: id }
  const rows = await store.countByReason(ctx.db, version)
  const reasons = rows.flatMap(({ reason, count }) =>
    reason === null ? [] : [{ reason, count, isExcluded: EXCLUDED.test(reason) }],
  )
  const componentCount = sumOf(rows, ({ count }) => count)
  const excludedCount = sumOf(reasons, ({ isExcluded, count }) => (isExcluded ? count : 0))
  const notJudgedCount = sumOf(reasons, ({ isExcluded, count }) => (isExcluded ? 0 : count))
  return {
    sbomCount: await store.countSboms(ctx.db, version),
    componentCount,
    excludedCount,
    judgedCount: componentCount - excludedCount - notJudgedCount,
    notJudgedCount,
    reasons,
    undecided: {
      componentCount: sumOf(rows, ({ undecidedComponents }) => undecidedComponents),
      recordCount: sumOf(rows, ({ undecidedRecords }) => undecidedRecords),
    },
  }
}

function sumOf<Item>(items: readonly Item[], of: (item: Item) => number): number {
  return items.reduce((sum, item) => sum + of(item), 0)
}
