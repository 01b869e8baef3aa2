/** Derives the product and release cycle of packages: when a version gets packages, and when the source lists other names or cycles. */
import { createHash } from 'node:crypto'
import { splitIntoBatches } from '../../formats/batches.ts'
import { matchSupport, type KnownSupport } from '../../formats/support/match.ts'
import {
  listProductKeys,
  readDistributionKey,
  SUPPORT_RULES_VERSION,
} from '../../formats/support/names.ts'
import type { AppContext } from '../../platform/context.ts'
import { announce } from '../../platform/db/announcements.ts'
import type { Db, Tx } from '../../platform/db/connect.ts'
import { SupportProductsChanged } from '../advisories/index.ts'
import * as store from './derivation-store.ts'

/** In the transaction that gives the version its packages. */
export async function deriveSupportOfVersion(
  tx: Tx,
  version: { workspaceId: string; firmwareVersionId: string },
): Promise<void> {
  await store.lockDerivation(tx, 'shared')
  const candidates = await store.listCandidatesOfVersion(tx, version)
  await store.writeSupport(tx, await derive(tx, candidates))
}

/** At the start of the service: what older rules derived is derived again. */
export async function enqueueSupportUpgrade(ctx: AppContext): Promise<void> {
  if ((await listChangedProducts(ctx)).length === 0) return
  await ctx.db.transaction().execute((tx) => ctx.queue.enqueue(tx, SupportProductsChanged, {}))
}

/** A transaction for each product whose names or cycles are others than its packages were derived from. Days need no derivation. */
export async function deriveChangedProducts(
  ctx: AppContext,
  _message: unknown,
  signal?: AbortSignal,
): Promise<void> {
  const changed = await listChangedProducts(ctx)
  for (const name of changed) {
    signal?.throwIfAborted()
    await ctx.db.transaction().execute((tx) => deriveProduct(tx, name))
  }
  await ctx.db.transaction().execute((tx) => announce(tx, null, ['findings']))
}

export async function listChangedProducts({ db }: Pick<AppContext, 'db'>): Promise<string[]> {
  const fingerprints = await store.listFingerprints(db)
  const products = await store.listProducts(db)
  return products.flatMap((product) =>
    fingerprints.get(product.name) === formatFingerprint(product) ? [] : [product.name],
  )
}

/** Of all that decides which packages belong to which cycle: neither days nor latest versions do. */
function formatFingerprint({ name, identifiers, cycles, isGone }: store.ProductRow): string {
  const facts = [
    SUPPORT_RULES_VERSION,
    listProductKeys({ name, identifiers }),
    cycles.map((cycle) => cycle.name),
    isGone,
  ]
  return createHash('sha256').update(JSON.stringify(facts)).digest('hex')
}

/** Small enough to be held in memory with identities of kernels and of distributions. */
const BATCH = 2_000

async function deriveProduct(tx: Tx, name: string): Promise<void> {
  await store.lockDerivation(tx, 'exclusive')
  const [product] = await store.listProducts(tx, [name])
  if (!product) return
  const keys = listProductKeys(product)
  const former = await store.replaceKeys(tx, name, keys)
  const all = [...keys, ...former]
  const distributions = all.flatMap((key) => readDistributionKey(key) ?? [])
  const ids = await store.listPackagesOfProduct(tx, name, { keys: all, distributions })
  for (const batch of splitIntoBatches(ids, BATCH)) {
    const derived = await derive(tx, await store.listCandidates(tx, batch))
    const found = new Set(derived.map(({ packageId }) => packageId))
    await store.deleteSupport(
      tx,
      batch.filter((id) => !found.has(id)),
    )
    await store.writeSupport(tx, derived)
  }
  await store.writeFingerprint(tx, name, formatFingerprint(product))
}

interface WrongSupport {
  packageId: string
  stored: string
  expected: string
}

/** Packages that are stored with another product or cycle than follows from names and cycles now. */
export async function listWrongSupport(
  db: Db,
  packageIds: readonly string[],
): Promise<WrongSupport[]> {
  const expected = await derive(db, await store.listCandidates(db, packageIds))
  const stored = await store.listSupport(db, packageIds)
  const wordsOf = (rows: readonly store.DerivedSupport[]) =>
    new Map(rows.map((row) => [row.packageId, describeSupport(row)]))
  const [now, then] = [wordsOf(expected), wordsOf(stored)]
  return packageIds.flatMap((packageId) => {
    const each = {
      stored: then.get(packageId) ?? 'no product',
      expected: now.get(packageId) ?? 'no product',
    }
    return each.stored === each.expected ? [] : [{ packageId, ...each }]
  })
}

const describeSupport = ({ product, cycle, key, version }: store.DerivedSupport) =>
  `${product} ${cycle ?? 'without a cycle'} (${key} ${version})`

/** Derives these packages again. */
export async function repairSupport(
  { db }: Pick<AppContext, 'db'>,
  packageIds: readonly string[],
): Promise<void> {
  for (const batch of splitIntoBatches(packageIds, BATCH))
    await db.transaction().execute(async (tx) => {
      await store.lockDerivation(tx, 'shared')
      const derived = await derive(tx, await store.listCandidates(tx, batch))
      const found = new Set(derived.map(({ packageId }) => packageId))
      await store.deleteSupport(
        tx,
        batch.filter((id) => !found.has(id)),
      )
      await store.writeSupport(tx, derived)
    })
}

async function derive(
  db: Db,
  candidates: readonly store.Candidate[],
): Promise<store.DerivedSupport[]> {
  const names = [...new Set(candidates.flatMap(({ products }) => products))]
  const known = await readProducts(db, names)
  return candidates.flatMap(({ id, identity, products }) => {
    const match = matchSupport(
      identity,
      products.flatMap((product) => known.get(product) ?? []),
    )
    return match ? [{ packageId: id, ...match }] : []
  })
}

async function readProducts(
  db: Db,
  names: readonly string[],
): Promise<ReadonlyMap<string, KnownSupport>> {
  const rows = await store.listProducts(db, names)
  const keys = await store.listKeysOfProducts(db, names)
  return new Map(
    rows.map(({ name, cycles, isGone }) => [
      name,
      { product: name, cycles, isGone, keys: keys.get(name) ?? new Set<string>() },
    ]),
  )
}
