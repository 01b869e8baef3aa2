/** How many components of a firmware version could be judged, and why the others could not. */
import type { AppContext } from '../../platform/context.ts'
import type { Db } from '../../platform/db/connect.ts'
import { getFirmwareVersion } from '../firmware/index.ts'
import { GAP, describeReason } from '../components/index.ts'
import * as store from './store.ts'

/** Nothing has to be told of these: they are not in the firmware, others stand for them, or somebody took responsibility. */
const EXCLUDED = /^(?:scope |ignored$|built from other components$)/

export async function readCoverage(
  ctx: AppContext,
  input: { workspaceId: string; firmwareVersionId: string },
) {
  const { workspaceId } = input
  const { id } = await getFirmwareVersion(ctx.db, workspaceId, input.firmwareVersionId)
  return countCoverage(ctx.db, { workspaceId, firmwareVersionId: id })
}

/** The part that the summary of a firmware version shows. */
export async function readNotJudged(db: Db, version: store.Version) {
  const { judgedCount, notJudgedCount, reasons } = await countCoverage(db, version)
  return {
    componentCount: judgedCount + notJudgedCount,
    notJudgedCount,
    reasons: reasons.flatMap(({ reason, count, isExcluded }) =>
      isExcluded ? [] : [{ reason, count }],
    ),
  }
}

async function countCoverage(db: Db, version: store.Version) {
  const rows = inWords(await store.countByReason(db, version))
  const counted = Map.groupBy(rows, ({ reason }) => reason)
  const reasons = [...counted].flatMap(([reason, same]) => {
    if (reason === null) return []
    const count = sumBy(same, (row) => row.count)
    return [{ reason, count, isExcluded: EXCLUDED.test(reason) }]
  })
  const componentCount = sumBy(rows, ({ count }) => count)
  const excludedCount = sumBy(reasons, ({ isExcluded, count }) => (isExcluded ? count : 0))
  const notJudgedCount = sumBy(reasons, ({ isExcluded, count }) => (isExcluded ? 0 : count))
  return {
    sbomCount: await store.countSboms(db, version),
    notMatchedYet: await store.countNotMatchedYet(db, version),
    componentCount,
    excludedCount,
    judgedCount: componentCount - excludedCount - notJudgedCount,
    notJudgedCount,
    unknownCount: sumBy(rows, (row) => (isUnknownCpe(row) ? row.count : 0)),
    reasons: reasons.toSorted(mostFirst),
    undecided: {
      componentCount: sumBy(rows, ({ undecidedComponents }) => undecidedComponents),
      recordCount: sumBy(rows, ({ undecidedRecords }) => undecidedRecords),
    },
  }
}

/** Invalid identifiers and reasons that people gave differ between components, and count together. */
const DETAIL = /^(invalid identifier|ignored).*$/s

function inWords(rows: readonly store.ReasonCount[]): store.ReasonCount[] {
  const sums = new Map<string, store.ReasonCount>()
  for (const row of rows) {
    const reason = describeReason(row.reason)?.replace(DETAIL, '$1') ?? null
    const hasCpe = row.hasCpe && reason === UNKNOWN
    const key = JSON.stringify([reason, hasCpe])
    const sum = sums.get(key)
    sums.set(key, {
      reason,
      hasCpe,
      count: (sum?.count ?? 0) + row.count,
      undecidedComponents: (sum?.undecidedComponents ?? 0) + row.undecidedComponents,
      undecidedRecords: (sum?.undecidedRecords ?? 0) + row.undecidedRecords,
    })
  }
  return [...sums.values()]
}

function mostFirst(a: { reason: string; count: number }, b: typeof a): number {
  return b.count - a.count || (a.reason < b.reason ? -1 : 1)
}

/** A CPE that no record has: it was looked up by the name that its document chose for that. */
function isUnknownCpe({ reason, hasCpe }: store.ReasonCount): boolean {
  return reason === UNKNOWN && hasCpe
}

const UNKNOWN = describeReason(GAP.unknown)

function sumBy<Item>(items: readonly Item[], of: (item: Item) => number): number {
  return items.reduce((sum, item) => sum + of(item), 0)
}
