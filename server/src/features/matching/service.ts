/** Holding packages against advisories, when they are new and when knowledge changes (DESIGN 5.6). */
import { batchesOf, weightedBatches } from '../../formats/batches.ts'
import type { AppContext } from '../../platform/context.ts'
import type { Tx } from '../../platform/db/connect.ts'
import { pruneKnowledgeChanges } from '../advisories/index.ts'
import type { ChangedMatch } from './changed-match.ts'
import { reportFailure } from './failures.ts'
import { MATCH_RULES_VERSION } from './match.ts'
import { type Matched, matchPackages, type WantedPackage, wantedOf } from './match-packages.ts'
import { MatchRulesChanged } from './schemas.ts'
import * as store from './store.ts'

/** Few enough that nobody waits long for a package another batch holds, many enough to share their candidates. */
const BATCH = 100

/** Matches packages that nobody has matched yet. */
export async function matchNewPackages(
  ctx: AppContext,
  packageIds: readonly string[],
): Promise<void> {
  for (const batch of batchesOf(packageIds, BATCH))
    await matchWhole(ctx, batch, { cause: 'PackageMatched', isFirst: true })
}

/** A merge is committed: what it may have changed of packages is evaluated anew, and nothing else. */
export async function matchChangedPackages(
  ctx: AppContext,
  { revision }: { revision: number },
  signal?: AbortSignal,
): Promise<void> {
  const changed = await store.listChangedPackages(ctx.db, revision)
  const cause = 'KnowledgeChanged'
  const whole = changed.flatMap((one) => (one.vulnerabilityIds ? [] : [one.packageId]))
  for (const batch of batchesOf(whole, BATCH)) {
    signal?.throwIfAborted()
    await matchWhole(ctx, batch, { cause, isFirst: false })
  }
  for (const batch of pairBatches(changed)) {
    signal?.throwIfAborted()
    await matchBatch(ctx, batch, { cause, isFirst: false })
  }
  await pruneKnowledgeChanges(ctx.db, revision)
}

/** Counters of thousands of versions move once a batch: batches are as large as memory and patience allow. */
const PAIRS_PER_BATCH = 20_000

function* pairBatches(
  changed: readonly store.ChangedKnowledge[],
): Generator<WantedVulnerabilities> {
  const told = changed.filter(({ vulnerabilityIds }) => vulnerabilityIds !== undefined)
  const weight = ({ vulnerabilityIds = [] }: store.ChangedKnowledge) => vulnerabilityIds.length
  for (const batch of weightedBatches(told, { most: PAIRS_PER_BATCH, weightOf: weight }))
    yield new Map(batch.map(({ packageId, vulnerabilityIds }) => [packageId, vulnerabilityIds]))
}

/** Enqueues the redo of what older rules made, when a service of newer ones starts. */
export async function announceMatchRules(ctx: AppContext): Promise<void> {
  const rules = { rulesVersion: MATCH_RULES_VERSION, limit: 1 }
  if ((await store.listOutdatedPackageIds(ctx.db, rules)).length === 0) return
  await ctx.db.transaction().execute((tx) => ctx.queue.enqueue(tx, MatchRulesChanged, {}))
}

/** Packages of older rules are matched again, some at a time, until none is left. */
export async function rematchOutdatedPackages(
  ctx: AppContext,
  _payload: unknown,
  signal?: AbortSignal,
): Promise<void> {
  for (;;) {
    signal?.throwIfAborted()
    const rules = { rulesVersion: MATCH_RULES_VERSION, limit: BATCH }
    const ids = await store.listOutdatedPackageIds(ctx.db, rules)
    if (ids.length === 0) return
    await matchWhole(ctx, ids, { cause: 'RulesChanged', isFirst: false })
  }
}

interface BatchTerms {
  cause: string
  /** Only packages nobody has matched since they were looked up. */
  isFirst: boolean
}

/** By package the vulnerabilities to evaluate; undefined: all. */
type WantedVulnerabilities = ReadonlyMap<string, readonly string[] | undefined>

function matchWhole(ctx: AppContext, ids: readonly string[], terms: BatchTerms): Promise<void> {
  return matchBatch(ctx, new Map(ids.map((id) => [id, undefined])), terms)
}

async function matchBatch(
  ctx: AppContext,
  wanted: WantedVulnerabilities,
  { cause, isFirst }: BatchTerms,
): Promise<void> {
  await ctx.db.transaction().execute(async (tx) => {
    const locked = await store.lockPackages(tx, [...wanted.keys()].toSorted())
    // What nobody has matched yet waits for being matched as a whole: a part would pass for it.
    const packages = locked.filter(({ id, matchedAt }) =>
      matchedAt === null ? wanted.get(id) === undefined : !isFirst,
    )
    if (packages.length === 0) return
    const at = ctx.now()
    const scoped = packages.map(({ id, identity }) => ({
      id,
      identity,
      vulnerabilityIds: wanted.get(id),
    }))
    const rows = await store.listCandidates(tx, wantedOf(scoped))
    const changes: ChangedMatch[] = []
    const all = matchPackages(scoped, rows)
    for (const matched of weightedBatches(all, {
      most: MATCHES_AT_ONCE,
      weightOf: ({ matches }) => matches.length,
    })) {
      for (const failure of matched.flatMap(({ failures }) => failures)) reportFailure(ctx, failure)
      changes.push(...(await writeMatched(tx, { matched, at, cause })))
    }
    // Once, as counters of other packages' versions are locked in one order only.
    if (changes.length > 0) await ctx.reactions.matchesChanged(ctx, tx, { changes, at })
  })
}

/** What is written in one statement, so that neither side holds the evidence of many kernels at once. */
const MATCHES_AT_ONCE = 2_000

async function writeMatched(
  tx: Tx,
  { matched, at, cause }: { matched: readonly Matched[]; at: Date; cause: string },
): Promise<ChangedMatch[]> {
  const packages = matched.map(({ of }) => of)
  const changes = await store.replaceMatches(tx, {
    scope: scopeOf(packages),
    matches: matched.flatMap(({ matches }) => matches),
    undecided: matched.flatMap(({ undecided }) => undecided),
    at,
    cause,
  })
  const packageIds = packages.map(({ id }) => id)
  // Evaluated in part, a package is still one of the rules it was matched by as a whole.
  const isWhole = packages.every(({ vulnerabilityIds }) => vulnerabilityIds === undefined)
  const rulesVersion = isWhole ? MATCH_RULES_VERSION : undefined
  await store.updatePackagesAsMatched(tx, packageIds, { at, rulesVersion })
  return changes
}

function scopeOf(packages: readonly WantedPackage[]): store.Scope {
  const pairs = packages.flatMap(({ id, vulnerabilityIds }) =>
    (vulnerabilityIds ?? []).map((vulnerabilityId) => ({ id, vulnerabilityId })),
  )
  return pairs.length === 0
    ? { packageIds: packages.map(({ id }) => id), vulnerabilityIds: undefined }
    : {
        packageIds: pairs.map(({ id }) => id),
        vulnerabilityIds: pairs.map(({ vulnerabilityId }) => vulnerabilityId),
      }
}
