/** Holding packages against advisories, when they are new and when knowledge changes (DESIGN 5.6). */
import type { AppContext } from '../../platform/context.ts'
import type { Tx } from '../../platform/db/connect.ts'
import { combine } from './combine.ts'
import type { Verdict } from './evidence.ts'
import { candidateKeys, MATCH_RULES_VERSION, matchPackage } from './match.ts'
import * as store from './match-store.ts'

/** Few enough that nobody waits long for a package another batch holds, many enough to share their candidates. */
const BATCH = 100

/** Its SBOMs were linked with the new one, so that the packages of all of them may be new. */
export async function matchParsedSbom(
  ctx: AppContext,
  { workspaceId, sbomId }: { workspaceId: string; sbomId: string },
): Promise<void> {
  const firmwareVersionId = await store.findFirmwareVersionOfSbom(ctx.db, workspaceId, sbomId)
  // Deleted since.
  if (firmwareVersionId === undefined) return
  await matchNewPackages(ctx, { workspaceId, firmwareVersionId })
}

/** Matches what no advisory was held against yet, and marks the SBOMs of which nothing is left. */
export async function matchNewPackages(
  ctx: AppContext,
  version: { workspaceId: string; firmwareVersionId: string },
): Promise<void> {
  const ids = await store.listUnmatchedPackageIds(ctx.db, version)
  for (let start = 0; start < ids.length; start += BATCH)
    await matchBatch(ctx, ids.slice(start, start + BATCH), {
      cause: 'PackageMatched',
      isFirst: true,
    })
  await store.updateEvaluatedSboms(ctx.db, { ...version, at: ctx.now() })
}

/** A merge is committed: every package with a key it touched is held against all advisories anew. */
export async function matchChangedPackages(
  ctx: AppContext,
  { revision }: { revision: number },
  signal?: AbortSignal,
): Promise<void> {
  const ids = await store.listChangedPackageIds(ctx.db, revision)
  for (let start = 0; start < ids.length; start += BATCH) {
    signal?.throwIfAborted()
    await matchBatch(ctx, ids.slice(start, start + BATCH), {
      cause: 'KnowledgeChanged',
      isFirst: false,
    })
  }
}

interface BatchTerms {
  cause: string
  /** Only packages nobody has matched since they were looked up. */
  isFirst: boolean
}

async function matchBatch(
  ctx: AppContext,
  ids: readonly string[],
  { cause, isFirst }: BatchTerms,
): Promise<void> {
  await ctx.db.transaction().execute(async (tx) => {
    const locked = await store.lockPackages(tx, ids)
    const packages = locked.filter(({ matchedAt }) => !isFirst || matchedAt === null)
    if (packages.length === 0) return
    const at = ctx.now()
    const matched = await matchAll(tx, packages)
    await store.replaceMatches(tx, {
      packageIds: packages.map(({ id }) => id),
      matches: matched.flatMap(({ matches }) => matches),
      at,
      cause,
    })
    await store.updatePackagesAsMatched(tx, matched, { at, rulesVersion: MATCH_RULES_VERSION })
  })
}

async function matchAll(tx: Tx, packages: readonly store.LockedPackage[]) {
  const wanted = packages.map(({ identity }) => candidateKeys(identity))
  const rows = await store.listCandidates(tx, {
    keys: [...new Set(wanted.flatMap(({ keys }) => keys))],
    productKeys: [...new Set(wanted.flatMap(({ productKeys }) => productKeys))],
  })
  const byKey = Map.groupBy(rows, ({ key }) => key)
  const byProductKey = Map.groupBy(rows, ({ productKey }) => productKey ?? '')
  return packages.map(({ id, identity }, index) => {
    const { keys = [], productKeys = [] } = wanted[index] ?? {}
    const own = new Set([
      ...keys.flatMap((key) => byKey.get(key) ?? []),
      ...productKeys.flatMap((key) => byProductKey.get(key) ?? []),
    ])
    return matchOne(id, identity, [...own])
  })
}

function matchOne(
  id: string,
  identity: store.LockedPackage['identity'],
  rows: readonly store.CandidateRow[],
) {
  const verdicts = matchPackage(
    identity,
    rows.map(({ source, advisoryId, key, statements }) => ({
      source,
      advisoryId,
      affected: { key, statements },
    })),
  )
  const vulnerabilities = new Map(
    rows.map((row) => [`${row.source} ${row.advisoryId}`, row.vulnerabilityIds]),
  )
  const byVulnerability = new Map<string, Verdict[]>()
  for (const verdict of verdicts)
    for (const vulnerabilityId of vulnerabilities.get(`${verdict.source} ${verdict.advisoryId}`) ??
      [])
      byVulnerability.set(vulnerabilityId, [
        ...(byVulnerability.get(vulnerabilityId) ?? []),
        verdict,
      ])
  const matches = [...byVulnerability].flatMap(([vulnerabilityId, those]) => {
    const match = combine(those)
    return match ? [{ packageId: id, vulnerabilityId, ...match }] : []
  })
  return { id, matches, undecided: countUndecided(verdicts) }
}

const MOST_REASONS = 20

function countUndecided(verdicts: readonly Verdict[]): Record<string, number> {
  const counts = new Map<string, number>()
  for (const { verdict, reasons } of verdicts)
    if (verdict === 'undecidable')
      for (const reason of reasons.slice(0, 1)) counts.set(reason, (counts.get(reason) ?? 0) + 1)
  const sorted = [...counts].toSorted(([a, m], [b, n]) => n - m || (a < b ? -1 : 1))
  return Object.fromEntries(sorted.slice(0, MOST_REASONS))
}
