/** Packages, candidates by key, and matches. All of them are global: no row belongs to a workspace. */
import { sql } from 'kysely'
import type { AdvisorySource, AffectedStatement } from '../../formats/advisories/model.ts'
import { REFERENCE_START } from '../../formats/advisories/reference-keys.ts'
import type { KnownProduct, PackageIdentity } from '../../formats/identity.ts'
import type { Db, Tx } from '../../platform/db/connect.ts'
import type { ChangedMatch } from './changed-match.ts'
import type { Confidence, Evidence } from './evidence.ts'
import { type LoadedKnowledge, indexLoadedKnowledge } from './loaded-knowledge.ts'

export interface PackageRow {
  id: string
  identity: PackageIdentity
  matchedAt: Date | null
  /** What its names meant when it was last matched. */
  resolved: string[]
}

export async function listPackages(db: Db, ids: readonly string[]): Promise<PackageRow[]> {
  return db
    .selectFrom('packages')
    .select(['id', 'matchedAt'])
    .select(sql<PackageIdentity>`identity`.as('identity'))
    .select(sql<string[]>`resolved`.as('resolved'))
    .where(sql<boolean>`id = any(${ids}::uuid[])`)
    .orderBy('id')
    .execute()
}

export async function readLoadedKnowledge(db: Db): Promise<LoadedKnowledge> {
  const complete = await db
    .selectFrom('completeEcosystems')
    .select('ecosystem')
    .distinct()
    .execute()
  const known = await db.selectFrom('knownDistributions').select('stated').execute()
  return indexLoadedKnowledge(
    complete.map(({ ecosystem }) => ecosystem),
    known.map(({ stated }) => stated),
  )
}

/** Packages that older rules matched, in id order. */
export async function listOutdatedPackageIds(
  db: Db,
  { rulesVersion, limit }: { rulesVersion: number; limit: number },
): Promise<string[]> {
  const rows = await db
    .selectFrom('packages')
    .select('id')
    .where('matchRulesVersion', '<', rulesVersion)
    .orderBy('id')
    .limit(limit)
    .execute()
  return rows.map(({ id }) => id)
}

export interface CandidateRow {
  source: AdvisorySource
  advisoryId: string
  key: string
  statements: AffectedStatement[]
  vulnerabilityIds: string[]
}

export interface CandidateQuery {
  keys: readonly string[]
  /** Only advisories of these vulnerabilities; undefined: all. */
  vulnerabilityIds: readonly string[] | undefined
}

/** The products of these product keys, with the number of records that name each. */
export async function listKnownProducts(
  db: Db,
  productKeys: readonly string[],
): Promise<KnownProduct[]> {
  return db
    .selectFrom('advisoryAffected')
    .select(['key', sql<number>`count(*)::int`.as('records')])
    .where(sql<boolean>`product_key = any(${productKeys}::text[])`)
    .groupBy(['productKey', 'key'])
    .execute()
}

/** How many records that refer to an address name a product. */
export interface ReferenceCount {
  address: string
  key: string
  records: number
}

export async function listReferences(
  db: Db,
  { addresses, keys }: Record<'addresses' | 'keys', readonly string[]>,
): Promise<ReferenceCount[]> {
  if (addresses.length === 0) return []
  const asked = addresses.map((address) => `${REFERENCE_START}${address}`)
  const { rows } = await sql<ReferenceCount>`
    select substr(reference.key, ${REFERENCE_START.length + 1}) as address, named.key, count(*)::int as records
    from advisory_affected as reference
    join advisory_affected as named using (source, advisory_id)
    where reference.key = any(${asked}::text[]) and named.key = any(${keys}::text[])
    group by reference.key, named.key
    order by reference.key, named.key`.execute(db)
  return rows
}

/** The statements of advisories about these keys, in a fixed order. Withdrawn advisories have none. */
export async function listCandidates(db: Db, wanted: CandidateQuery): Promise<CandidateRow[]> {
  const { keys, vulnerabilityIds } = wanted
  const isOfVulnerability =
    vulnerabilityIds &&
    sql`and (affected.source, affected.advisory_id) in (
      select link.source, link.advisory_id from advisory_vulnerabilities as link
      where link.vulnerability_id = any(${vulnerabilityIds}::text[]))`
  const { rows } = await sql<CandidateRow>`
    select affected.source, affected.advisory_id, affected.key, affected.statements,
      array(
        select link.vulnerability_id from advisory_vulnerabilities as link
        where link.source = affected.source and link.advisory_id = affected.advisory_id
      ) as vulnerability_ids
    from advisory_affected as affected
    where affected.key = any(${keys}::text[]) ${isOfVulnerability ?? sql``}
    order by affected.source, affected.advisory_id, affected.key`.execute(db)
  return rows
}

export async function findIdentity(
  db: Db,
  packageId: string,
): Promise<PackageIdentity | undefined> {
  const row = await db
    .selectFrom('packages')
    .select(sql<PackageIdentity>`identity`.as('identity'))
    .where('id', '=', packageId)
    .executeTakeFirst()
  return row?.identity
}

/** A record of a vulnerability and the names it has, at most a hundred. */
export interface VulnerabilityRecord {
  source: AdvisorySource
  advisoryId: string
  isWithdrawn: boolean
  keys: string[]
}

export async function listVulnerabilityRecords(
  db: Db,
  vulnerabilityId: string,
): Promise<VulnerabilityRecord[]> {
  const { rows } = await sql<VulnerabilityRecord>`
    select link.source, link.advisory_id, advisory.withdrawn_at is not null as is_withdrawn,
      array(
        select affected.key from advisory_affected as affected
        where affected.source = link.source and affected.advisory_id = link.advisory_id
          and not starts_with(affected.key, ${REFERENCE_START})
        order by affected.key limit 100
      ) as keys
    from advisory_vulnerabilities as link
    join advisories as advisory on advisory.source = link.source and advisory.id = link.advisory_id
    where link.vulnerability_id = ${vulnerabilityId}
    order by link.source, link.advisory_id`.execute(db)
  return rows
}

/** Those of the keys that at least one record names. */
export async function listKnownKeys(db: Db, keys: readonly string[]): Promise<string[]> {
  const { rows } = await sql<{ key: string }>`
    select asked.key from unnest(${keys}::text[]) as asked (key)
    where exists (select from advisory_affected as affected where affected.key = asked.key)`.execute(
    db,
  )
  return rows.map(({ key }) => key)
}

export interface MatchRow {
  packageId: string
  vulnerabilityId: string
  confidence: Confidence
  evidence: Evidence[]
}

export interface UndecidedPair {
  packageId: string
  vulnerabilityId: string
  reason: string
}

/** What was evaluated: pairs of package and vulnerability, or packages whole. */
export interface Scope {
  packageIds: readonly string[]
  /** undefined: all of each package; else one id for each of `packageIds`, which then repeat. */
  vulnerabilityIds: readonly string[] | undefined
}

export interface MatchChange {
  scope: Scope
  matches: readonly MatchRow[]
  undecided: readonly UndecidedPair[]
  at: Date
  cause: string
}

const inScope = ({ packageIds, vulnerabilityIds }: Scope) =>
  vulnerabilityIds === undefined
    ? sql`package_id = any(${packageIds}::uuid[])`
    : sql`(package_id, vulnerability_id) in (
        select * from unnest(${packageIds}::uuid[], ${vulnerabilityIds}::text[]))`

/**
 * Replaces the open matches in scope by the given ones and returns those that began, ended or changed. A match changes
 * with confidence, severity or score, which decide about counters and order of lists; new evidence alone is not a change.
 * A vulnerability that lists now name as exploited, or no longer, changes its matches in place.
 */
export async function replaceMatches(tx: Tx, change: MatchChange): Promise<ChangedMatch[]> {
  const { at, cause } = change
  await replaceUndecided(tx, change)
  const changes = await writeEvidence(tx, change)
  if (changes.length === 0) return changes
  const rerated = changes.filter(({ isRerated }) => isRerated)
  if (rerated.length < changes.length) await flagExploited(tx, changes)
  if (rerated.length === 0) return changes
  const changed = sql`json_to_recordset(${JSON.stringify(rerated)}::json) as changed (
    "packageId" uuid, "vulnerabilityId" text, "newConfidence" text, "newSeverity" text, "newScore" real,
    "newExploited" boolean)`
  await sql`
    update package_matches as match set until = greatest(${at}, since), ended_cause = ${cause}
    from ${changed}
    where match.package_id = changed."packageId" and match.vulnerability_id = changed."vulnerabilityId"
      and match.until is null`.execute(tx)
  await sql`
    insert into package_matches
      (package_id, vulnerability_id, since, cause, confidence, severity, score, is_exploited)
    select changed."packageId", changed."vulnerabilityId", ${at}, ${cause}, changed."newConfidence",
      changed."newSeverity", changed."newScore", changed."newExploited"
    from ${changed}
    where changed."newConfidence" is not null
    on conflict (package_id, vulnerability_id, since) do update set until = null, ended_cause = null,
      confidence = excluded.confidence, severity = excluded.severity, score = excluded.score,
      is_exploited = excluded.is_exploited`.execute(tx)
  return changes
}

async function flagExploited(tx: Tx, changes: readonly RatedChange[]): Promise<void> {
  const flagged = changes.filter(({ isRerated }) => !isRerated)
  await sql`
    update package_matches as match set is_exploited = not match.is_exploited
    from unnest(${flagged.map(({ packageId }) => packageId)}::uuid[],
      ${flagged.map(({ vulnerabilityId }) => vulnerabilityId)}::text[]) as flagged (package_id, vulnerability_id)
    where match.package_id = flagged.package_id and match.vulnerability_id = flagged.vulnerability_id
      and match.until is null`.execute(tx)
}

/** With the score, which the new match gets, and whether there is a new match. */
type RatedChange = ChangedMatch & { newScore: number | null; isRerated: boolean }

async function writeEvidence(tx: Tx, { scope, matches }: MatchChange): Promise<RatedChange[]> {
  const json = JSON.stringify(matches.toSorted(byKey))
  const { rows } = await sql<RatedChange>`
    with input as materialized (
      select "packageId" as package_id, "vulnerabilityId" as vulnerability_id, confidence, evidence
      from json_to_recordset(${json}::json) as input (
        "packageId" uuid, "vulnerabilityId" text, confidence text, evidence jsonb)
    ), written as (
      insert into package_match_evidence as stored (package_id, vulnerability_id, evidence)
      select package_id, vulnerability_id, evidence from input
      on conflict (package_id, vulnerability_id) do update set evidence = excluded.evidence
        where stored.evidence is distinct from excluded.evidence
    ), stored as (
      select * from package_matches where ${inScope(scope)} and until is null
    ), current as (
      select input.package_id, input.vulnerability_id, input.confidence, vulnerability.severity,
        vulnerability.primary_score as score, vulnerability.is_known_exploit or exists (
          select from eu_exploited_entries as listed where listed.cve_id = vulnerability.id) as is_exploited
      from input join vulnerabilities as vulnerability on vulnerability.id = input.vulnerability_id
    )
    select coalesce(current.package_id, stored.package_id) as package_id,
      coalesce(current.vulnerability_id, stored.vulnerability_id) as vulnerability_id,
      stored.confidence as old_confidence, stored.severity as old_severity, stored.is_exploited as old_exploited,
      current.confidence as new_confidence, current.severity as new_severity, current.score as new_score,
      current.is_exploited as new_exploited, (current.confidence, current.severity, current.score)
        is distinct from (stored.confidence, stored.severity, stored.score) as is_rerated
    from stored full join current
      on current.package_id = stored.package_id and current.vulnerability_id = stored.vulnerability_id
    where (current.confidence, current.severity, current.score, current.is_exploited)
      is distinct from (stored.confidence, stored.severity, stored.score, stored.is_exploited)
    order by 1, 2`.execute(tx)
  return rows
}

async function replaceUndecided(tx: Tx, { scope, undecided }: MatchChange): Promise<void> {
  const news = undecided.toSorted(byKey)
  const stated = sql`unnest(${news.map(({ packageId }) => packageId)}::uuid[],
    ${news.map(({ vulnerabilityId }) => vulnerabilityId)}::text[], ${news.map(({ reason }) => reason)}::text[])
    as news (package_id, vulnerability_id, reason)`
  await sql`
    delete from package_undecided as stored where ${inScope(scope)}
      and not exists (
        select from ${stated}
        where news.package_id = stored.package_id and news.vulnerability_id = stored.vulnerability_id)`.execute(
    tx,
  )
  if (news.length === 0) return
  await sql`
    insert into package_undecided as stored (package_id, vulnerability_id, reason)
    select package_id, vulnerability_id, reason from ${stated}
    on conflict (package_id, vulnerability_id) do update set reason = excluded.reason
      where stored.reason <> excluded.reason`.execute(tx)
}

type MatchKey = Pick<MatchRow, 'packageId' | 'vulnerabilityId'>

function byKey(a: MatchKey, b: MatchKey): number {
  if (a.packageId !== b.packageId) return a.packageId < b.packageId ? -1 : 1
  return a.vulnerabilityId < b.vulnerabilityId ? -1 : a.vulnerabilityId > b.vulnerabilityId ? 1 : 0
}
