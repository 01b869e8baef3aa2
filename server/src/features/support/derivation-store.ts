/** Which packages belong to which product and release cycle: derived from both alone, for all workspaces at once. */
import { sql } from 'kysely'
import type { PackageIdentity } from '../../formats/identity.ts'
import type { SupportMatch } from '../../formats/support/match.ts'
import type { SupportCycle, SupportIdentifier } from '../../formats/support/product.ts'
import type { Db, Tx } from '../../platform/db/connect.ts'
import { listWithoutJob } from '../../platform/jobs/late-jobs.ts'
import { SupportProductsChanged } from '../advisories/index.ts'

const DERIVATION_LOCK = 7_302_118_551

/**
 * Whoever derives packages of a version shares the lock, whoever changes the names of a product has it alone: each sees all that the
 * others have written, so that no package is left with what an older list said.
 */
export async function lockDerivation(tx: Tx, lock: 'shared' | 'exclusive'): Promise<void> {
  await (
    lock === 'shared'
      ? sql`select pg_advisory_xact_lock_shared(${DERIVATION_LOCK})`
      : sql`select pg_advisory_xact_lock(${DERIVATION_LOCK})`
  ).execute(tx)
}

export interface ProductRow {
  name: string
  identifiers: SupportIdentifier[]
  cycles: SupportCycle[]
  isGone: boolean
}

/** All of them, or those named. */
export async function listProducts(db: Db, names?: readonly string[]): Promise<ProductRow[]> {
  const { rows } = await sql<ProductRow>`
    select name, identifiers, cycles, gone_at is not null as is_gone from support_products
    where ${names === undefined ? sql`true` : sql`name = any(${names}::text[])`} order by name`.execute(
    db,
  )
  return rows
}

/** Of which names and cycles the packages of each product were derived. */
export async function listFingerprints(db: Db): Promise<Map<string, string>> {
  const { rows } = await sql<{ product: string; fingerprint: string }>`
    select product, fingerprint from support_product_states`.execute(db)
  return new Map(rows.map(({ product, fingerprint }) => [product, fingerprint]))
}

export async function writeFingerprint(tx: Tx, product: string, fingerprint: string) {
  await sql`
    insert into support_product_states (product, fingerprint) values (${product}, ${fingerprint})
    on conflict (product) do update set fingerprint = excluded.fingerprint`.execute(tx)
}

/** Writes the keys of a product. @returns those that it had before and does not have now. */
export async function replaceKeys(
  tx: Tx,
  product: string,
  keys: readonly string[],
): Promise<string[]> {
  const { rows } = await sql<{ key: string }>`
    delete from support_product_keys where product = ${product} and key <> all(${keys}::text[]) returning key`.execute(
    tx,
  )
  await sql`
    insert into support_product_keys (key, product) select key, ${product} from unnest(${keys}::text[]) as key
    on conflict do nothing`.execute(tx)
  return rows.map(({ key }) => key)
}

/** The packages that have one of the names or belong to the product, in order of id. */
export async function listPackagesOfProduct(
  tx: Tx,
  product: string,
  { keys, distributions }: { keys: readonly string[]; distributions: readonly string[] },
): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    select package_id as id from package_support where product = ${product}
    union
    select package_id from package_keys where key = any(${keys}::text[])
    union
    select packages.id from unnest(${distributions}::text[]) as named
      join packages on packages.distribution = named
        or (packages.distribution >= named || ':' and packages.distribution < named || ';')
    union
    select packages.id from packages
    where distribution is null and identity ? 'distro' and identity #>> '{distro,ecosystem}' = any(${distributions}::text[])
    order by id`.execute(tx)
  return rows.map(({ id }) => id)
}

export interface Candidate {
  id: string
  identity: PackageIdentity
  /** Products that have one of its names. */
  products: string[]
}

const candidatesOf = (packages: ReturnType<typeof sql>) => sql<Candidate>`
  with held as (${packages}),
  named as (
    select held.id, known.product from held
    join package_keys on package_keys.package_id = held.id
    join support_product_keys as known on known.key = package_keys.key
    union
    select held.id, known.product from held
    join packages on packages.id = held.id
    join support_product_keys as known on known.key = 'distribution:' || (packages.identity #>> '{distro,ecosystem}')
  ),
  grouped as (select id, array_agg(product order by product) as products from named group by id)
  select grouped.id, packages.identity, grouped.products from grouped
  join packages on packages.id = grouped.id order by grouped.id`

export async function listCandidates(db: Db, packageIds: readonly string[]): Promise<Candidate[]> {
  const { rows } = await candidatesOf(sql`select unnest(${packageIds}::uuid[]) as id`).execute(db)
  return rows
}

export async function listCandidatesOfVersion(
  tx: Tx,
  { workspaceId, firmwareVersionId }: { workspaceId: string; firmwareVersionId: string },
): Promise<Candidate[]> {
  const { rows } = await candidatesOf(sql`
    select package_id as id from firmware_version_packages
    where workspace_id = ${workspaceId} and firmware_version_id = ${firmwareVersionId} and until is null`).execute(
    tx,
  )
  return rows
}

export async function listKeysOfProducts(
  db: Db,
  products: readonly string[],
): Promise<Map<string, Set<string>>> {
  const { rows } = await sql<{ product: string; key: string }>`
    select product, key from support_product_keys where product = any(${products}::text[])`.execute(
    db,
  )
  const keys = new Map<string, Set<string>>()
  for (const { product, key } of rows) keys.set(product, (keys.get(product) ?? new Set()).add(key))
  return keys
}

export interface DerivedSupport extends SupportMatch {
  packageId: string
}

/** Writes what differs, in order of id, so that transactions that derive the same packages wait for each other in one order. */
export async function writeSupport(tx: Tx, derived: readonly DerivedSupport[]): Promise<void> {
  if (derived.length === 0) return
  await sql`
    insert into package_support as stored (package_id, product, cycle, key, version)
    select input.* from jsonb_to_recordset(${JSON.stringify(derived)}::jsonb) as input (
      "packageId" uuid, product text, cycle text, key text, version text)
    where not exists (
      select from package_support as same where same.package_id = input."packageId"
        and (same.product, same.cycle, same.key, same.version)
          is not distinct from (input.product, input.cycle, input.key, input.version))
    order by input."packageId"
    on conflict (package_id) do update
      set product = excluded.product, cycle = excluded.cycle, key = excluded.key, version = excluded.version`.execute(
    tx,
  )
}

export async function deleteSupport(tx: Tx, packageIds: readonly string[]): Promise<void> {
  await sql`delete from package_support where package_id = any(${packageIds}::uuid[])`.execute(tx)
}

/** Packages after the id, in its order. Ids are hashes, so those after a random one are a sample. */
export async function listPackageIds(
  db: Db,
  { after, limit }: { after: string; limit: number },
): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    select id from packages where id > ${after} order by id limit ${limit}`.execute(db)
  return rows.map(({ id }) => id)
}

/** What is stored of these packages. */
export async function listSupport(
  db: Db,
  packageIds: readonly string[],
): Promise<DerivedSupport[]> {
  const { rows } = await sql<DerivedSupport>`
    select package_id, product, cycle, key, version from package_support
    where package_id = any(${packageIds}::uuid[])`.execute(db)
  return rows
}

/** Those of the products that no job is about to derive. */
export const listWithoutDerivation = (db: Db, products: readonly string[]): Promise<string[]> =>
  listWithoutJob(db, products, { messages: [SupportProductsChanged], isMeant: sql`true` })
