/** Matches packages when they are new, when knowledge changes and when the rules change (docs/design/matching.md). */
import { splitIntoBatches, splitByWeight } from '../../formats/batches.ts'
import type { AppContext } from '../../platform/context.ts'
import type { Db, Tx } from '../../platform/db/connect.ts'
import { lockPackages } from '../../platform/db/package-locks.ts'
import { planForAnyWorkspace } from '../../platform/db/planning.ts'
import { listLookUpKeys } from '../../formats/identity.ts'
import { pruneKnowledgeChanges } from '../advisories/index.ts'
import { planAgreementQuery, indexReferences, listResolvedNames } from './agreement.ts'
import { type ChangedKnowledge, listChangedPackages } from './changed-packages-store.ts'
import type { MatchChanges } from './reactions.ts'
import { reportFailure } from './failures.ts'
import { findKnowledgeGap } from './loaded-knowledge.ts'
import { MATCH_RULES_VERSION, type MatchKnowledge } from './match.ts'
import {
  listJudgingKeys,
  type NameResolver,
  findRegistry,
  createProductResolver,
} from './name-resolution.ts'
import {
  type PackageOutcome,
  matchPackages,
  type WantedPackage,
  planCandidateQuery,
} from './match-packages.ts'
import * as matchedPackages from './matched-packages-store.ts'
import { MatchRulesChanged } from './schemas.ts'
import * as store from './store.ts'

/** Packages of a batch. Small enough that others wait briefly for its locks, large enough that planning its statements costs little. */
const BATCH = 250

/**
 * Matches packages that are not matched yet, for about `mostMs`. Answers whether all were reached, and how many matches
 * began, including `before` of earlier calls.
 */
export async function matchNewPackages(
  ctx: AppContext,
  packageIds: readonly string[],
  { mostMs = Infinity, before = 0 }: { mostMs?: number; before?: number } = {},
): Promise<{ isDone: boolean; changes: number }> {
  const endsAt = performance.now() + mostMs
  const terms = { cause: 'PackageMatched', isFirst: true, isOver: () => performance.now() > endsAt }
  let changes = before
  for (const batch of splitIntoBatches(packageIds, BATCH)) {
    const matched = await matchWhole(ctx, batch, terms)
    changes += matched.changes
    if (!matched.isDone) return { isDone: false, changes }
  }
  await analyzeAfter(ctx, changes)
  return { isDone: true, changes }
}

/** Above this, the planner would misjudge the tables until PostgreSQL analyses them, a minute or more later. */
const MANY_CHANGES = 10_000

async function analyzeAfter(ctx: AppContext, changes: number): Promise<void> {
  if (changes >= MANY_CHANGES) await matchedPackages.analyzeMatches(ctx.db)
}

/** Evaluates again what a committed merge may have changed, and nothing else. */
export async function matchChangedPackages(
  ctx: AppContext,
  { revision }: { revision: number },
  signal?: AbortSignal,
): Promise<void> {
  const changed = await listChangedPackages(ctx.db, revision)
  const terms = { cause: 'KnowledgeChanged', isFirst: false, isOver: stoppedBy(signal) }
  const whole = changed.flatMap((one) => (one.vulnerabilityIds ? [] : [one.packageId]))
  let changes = 0
  for (const batch of splitIntoBatches(whole, BATCH))
    changes += (await matchWhole(ctx, batch, terms)).changes
  for (const batch of pairBatches(changed)) changes += (await matchAll(ctx, batch, terms)).changes
  await analyzeAfter(ctx, changes)
  const packageIds = changed.map(({ packageId }) => packageId)
  await ctx.db.transaction().execute((tx) => ctx.reactions.recordsMatched(ctx, tx, { packageIds }))
  await pruneKnowledgeChanges(ctx.db, revision)
}

/**
 * Changes of matches in one transaction. Each moves the counters of thousands of versions once, so it is as large as memory
 * allows. Matching a batch of kernels, of 8,000 matches each, takes several.
 */
const CHANGES_AT_ONCE = 20_000

function* pairBatches(changed: readonly ChangedKnowledge[]): Generator<WantedVulnerabilities> {
  const named = changed.filter(({ vulnerabilityIds }) => vulnerabilityIds !== undefined)
  const weightOf = ({ vulnerabilityIds = [] }: ChangedKnowledge) => vulnerabilityIds.length
  for (const batch of splitByWeight(named, { most: CHANGES_AT_ONCE, weightOf }))
    yield new Map(batch.map(({ packageId, vulnerabilityIds }) => [packageId, vulnerabilityIds]))
}

/** At the start of the service: enqueues a new match of the packages that older rules matched. */
export async function enqueueRuleUpgrade(ctx: AppContext): Promise<void> {
  const rules = { rulesVersion: MATCH_RULES_VERSION, limit: 1 }
  if ((await store.listOutdatedPackageIds(ctx.db, rules)).length === 0) return
  await ctx.db.transaction().execute((tx) => ctx.queue.enqueue(tx, MatchRulesChanged, {}))
}

/** Matches the packages of older rules again, batch by batch. */
export async function rematchOutdatedPackages(
  ctx: AppContext,
  _payload: unknown,
  signal?: AbortSignal,
): Promise<void> {
  const terms = { cause: 'RulesChanged', isFirst: false, isOver: stoppedBy(signal) }
  let changes = 0
  for (;;) {
    const rules = { rulesVersion: MATCH_RULES_VERSION, limit: BATCH }
    const ids = await store.listOutdatedPackageIds(ctx.db, rules)
    if (ids.length === 0) break
    changes += (await matchWhole(ctx, ids, terms)).changes
  }
  await analyzeAfter(ctx, changes)
}

/** Matches these packages again as a whole. */
export async function rematchPackages(
  ctx: AppContext,
  packageIds: readonly string[],
): Promise<void> {
  for (const batch of splitIntoBatches(packageIds.toSorted(), BATCH))
    await matchWhole(ctx, batch, { cause: 'RulesChanged', isFirst: false })
}

interface BatchTerms {
  cause: string
  /** Only packages that are still unmatched. */
  isFirst: boolean
  /** Asked before each transaction, whether the rest is left. */
  isOver?: () => boolean
}

/** Ends a job that is told to stop; it is tried again. */
function stoppedBy(signal: AbortSignal | undefined): () => boolean {
  return () => {
    signal?.throwIfAborted()
    return false
  }
}

/** The vulnerabilities to evaluate by package id; undefined: all. */
type WantedVulnerabilities = ReadonlyMap<string, readonly string[] | undefined>

function matchWhole(ctx: AppContext, ids: readonly string[], terms: BatchTerms) {
  return matchAll(ctx, new Map(ids.map((id) => [id, undefined])), terms)
}

/** @returns how many matches began, ended or changed, and whether all packages were reached. */
async function matchAll(
  ctx: AppContext,
  wanted: WantedVulnerabilities,
  terms: BatchTerms,
): Promise<{ isDone: boolean; changes: number }> {
  let changes = 0
  for (let rest = wanted; rest.size > 0;) {
    if (terms.isOver?.() === true) return { isDone: false, changes }
    const matched = await matchSome(ctx, rest, terms)
    changes += matched.changes
    rest = matched.rest
  }
  return { isDone: true, changes }
}

/** Matches packages until enough has changed for one transaction. @returns what is left. */
async function matchSome(
  ctx: AppContext,
  wanted: WantedVulnerabilities,
  { cause, isFirst }: BatchTerms,
): Promise<{ changes: number; rest: WantedVulnerabilities }> {
  return ctx.db.transaction().execute(async (tx) => {
    const ids = [...wanted.keys()]
    await planForAnyWorkspace(tx)
    // Writers of matches read advisories after they got this lock, so that the last writer has seen every earlier merge.
    await lockPackages(tx, ids, 'exclusive')
    const locked = await store.listPackages(tx, ids)
    // A package that is not matched yet must be matched whole: a partial match would mark it as matched.
    const packages = locked.filter(({ id, matchedAt }) =>
      matchedAt === null ? wanted.get(id) === undefined : !isFirst,
    )
    const rest = new Map(packages.map(({ id }) => [id, wanted.get(id)]))
    if (packages.length === 0) return { changes: 0, rest }
    const at = ctx.now()
    const knowledge = await readMatchKnowledge(tx, packages)
    const scopes = splitIntoScopes(packages, wanted, knowledge)
    const written: MatchChanges[] = []
    let count = 0
    for await (const { packageIds, ...changed } of matchScopes(ctx, tx, {
      scopes,
      knowledge,
      at,
      cause,
    })) {
      for (const id of packageIds) rest.delete(id)
      written.push(changed)
      count += changed.changes.length
      if (count >= CHANGES_AT_ONCE) break
    }
    const { changes, judged } = unitedChanges(written)
    // Once a transaction: counters must be locked in one order.
    if (changes.length + judged.length > 0)
      await ctx.reactions.matchesChanged(ctx, tx, { changes, judged, at })
    return { changes: changes.length, rest }
  })
}

export async function readMatchKnowledge(
  db: Db,
  packages: readonly Pick<store.PackageRow, 'identity'>[],
): Promise<MatchKnowledge> {
  const resolve = await resolverFor(db, packages)
  const identities = packages.map(({ identity }) => identity)
  const counts = await store.listReferences(db, planAgreementQuery(identities, resolve))
  return {
    resolve,
    references: indexReferences(counts),
    loaded: await store.readLoadedKnowledge(db),
  }
}

async function resolverFor(
  db: Db,
  packages: readonly Pick<store.PackageRow, 'identity'>[],
): Promise<NameResolver> {
  const keys = packages.flatMap(({ identity }) => identity.pairs.flatMap(listLookUpKeys))
  const productKeys = new Set(keys.filter(({ isProductKey }) => isProductKey).map(({ key }) => key))
  return createProductResolver(await store.listKnownProducts(db, [...productKeys].toSorted()))
}

/**
 * The packages to match whole, and those of which only some vulnerabilities are wanted. A name that now means another product
 * changes every match of its package.
 */
function splitIntoScopes(
  packages: readonly store.PackageRow[],
  wanted: WantedVulnerabilities,
  { resolve, references }: MatchKnowledge,
): WantedPackage[][] {
  const all = packages.map(({ id, identity, resolved: before }) => {
    const resolved = listResolvedNames(identity, resolve, references)
    const isSame = resolved.join('\n') === before.join('\n')
    return { id, identity, resolved, vulnerabilityIds: isSame ? wanted.get(id) : undefined }
  })
  const isWhole = ({ vulnerabilityIds }: WantedPackage) => vulnerabilityIds === undefined
  // A change may turn many partial matches into whole ones, whose records would not fit into memory at once.
  return [
    ...splitIntoBatches(all.filter(isWhole), BATCH),
    all.filter((one) => !isWhole(one)),
  ].filter(({ length }) => length > 0)
}

interface ScopeTerms {
  scopes: readonly WantedPackage[][]
  knowledge: MatchKnowledge
  at: Date
  cause: string
}

/** Yields what was written: a reader that stops leaves the packages after it as they were. */
async function* matchScopes(
  ctx: AppContext,
  tx: Tx,
  { scopes, knowledge, at, cause }: ScopeTerms,
): AsyncGenerator<MatchChanges & { packageIds: string[] }> {
  for (const scoped of scopes) {
    const rows = await store.listCandidates(tx, planCandidateQuery(scoped, knowledge.resolve))
    const batches = splitByWeight(matchPackages(scoped, rows, knowledge), {
      most: MATCHES_AT_ONCE,
      weightOf: ({ matches }) => matches.length,
    })
    for (const matched of batches) {
      for (const failure of matched.flatMap(({ failures }) => failures)) reportFailure(ctx, failure)
      const written = await writeMatched(tx, { matched, knowledge, at, cause })
      yield { packageIds: matched.map(({ of }) => of.id), ...written }
    }
  }
}

function unitedChanges(all: readonly MatchChanges[]): MatchChanges {
  return {
    changes: all.flatMap(({ changes }) => changes),
    judged: all.flatMap(({ judged }) => judged),
  }
}

/** Matches written by one statement: a limit to the evidence that service and database hold at once. */
const MATCHES_AT_ONCE = 2_000

async function writeMatched(
  tx: Tx,
  {
    matched,
    knowledge,
    at,
    cause,
  }: Omit<ScopeTerms, 'scopes'> & { matched: readonly PackageOutcome[] },
): Promise<MatchChanges> {
  const packages = matched.map(({ of }) => of)
  const changes = await store.replaceMatches(tx, {
    scope: createScope(packages),
    matches: matched.flatMap(({ matches }) => matches),
    undecided: matched.flatMap(({ undecided }) => undecided),
    at,
    cause,
  })
  const known = await namedPackages(tx, matched, knowledge)
  // A partial match does not bring a package to the current rules.
  const isWhole = packages.every(({ vulnerabilityIds }) => vulnerabilityIds === undefined)
  const rulesVersion = isWhole ? MATCH_RULES_VERSION : undefined
  const judged = await matchedPackages.updatePackagesAsMatched(tx, known, { at, rulesVersion })
  return { changes, judged }
}

/** A partial match saw the records of some vulnerabilities only. Where these leave a gap, the other records have to be asked. */
async function namedPackages(
  tx: Tx,
  matched: readonly PackageOutcome[],
  { resolve, loaded }: MatchKnowledge,
): Promise<matchedPackages.MatchedPackage[]> {
  const unsure = matched.filter(
    ({ named, of: { identity, vulnerabilityIds } }) =>
      vulnerabilityIds !== undefined &&
      (named.size === 0 || findKnowledgeGap(identity, named, loaded) !== undefined),
  )
  const { keys } = planCandidateQuery(
    unsure.map(({ of }) => of),
    resolve,
  )
  const known = new Set(keys.length === 0 ? [] : await store.listKnownKeys(tx, keys))
  return matched.map((one) => {
    const { id, identity, resolved } = one.of
    const others = known.size === 0 ? [] : listJudgingKeys(identity, resolve)
    const named = new Set([...one.named, ...others.filter((key) => known.has(key))])
    return {
      id,
      resolved,
      isNamed: named.size > 0,
      registry: findRegistry(identity),
      gap: findKnowledgeGap(identity, named, loaded),
    }
  })
}

function createScope(packages: readonly WantedPackage[]): store.Scope {
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
