/** Packages, what advisories say of their keys, and the matches of the two. All of it is global. */
import { sql } from 'kysely'
import type { AdvisorySource, AffectedStatement } from '../../formats/advisories/model.ts'
import type { PackageIdentity } from '../../formats/identity.ts'
import type { Db, Tx } from '../../platform/db/connect.ts'
import type { Confidence, Evidence } from './evidence.ts'

export interface LockedPackage {
  id: string
  identity: PackageIdentity
  matchedAt: Date | null
}

/**
 * In id order, so that two that lock the same packages wait for each other and never for ever. Whoever writes
 * matches holds this lock and reads the advisories after it: the last to get it has seen every merge before it.
 */
export async function lockPackages(tx: Tx, ids: readonly string[]): Promise<LockedPackage[]> {
  const { rows } = await sql<LockedPackage>`
    select id, identity, matched_at from packages
    where id = any(${ids}::uuid[]) order by id for no key update`.execute(tx)
  return rows
}

export async function findFirmwareVersionOfSbom(
  db: Db,
  workspaceId: string,
  sbomId: string,
): Promise<string | undefined> {
  const row = await db
    .selectFrom('sboms')
    .select('firmwareVersionId')
    .where('workspaceId', '=', workspaceId)
    .where('id', '=', sbomId)
    .executeTakeFirst()
  return row?.firmwareVersionId
}

/** Packages of a firmware version that no advisory was held against yet. */
export async function listUnmatchedPackageIds(
  db: Db,
  { workspaceId, firmwareVersionId }: { workspaceId: string; firmwareVersionId: string },
): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    select distinct package.id
    from sboms as sbom
    join sbom_components as component
      on component.workspace_id = sbom.workspace_id and component.sbom_id = sbom.id
    join packages as package on package.id = component.package_id
    where sbom.workspace_id = ${workspaceId} and sbom.firmware_version_id = ${firmwareVersionId}
      and sbom.parsing_state = 'Succeeded' and package.matched_at is null
    order by package.id`.execute(db)
  return rows.map(({ id }) => id)
}

/** All packages that have a key a merge changed; a first import changes hundreds of thousands of keys at once. */
export async function listChangedPackageIds(db: Db, revision: number): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    select distinct package_keys.package_id as id
    from knowledge_changes join package_keys using (key)
    where knowledge_changes.revision = ${revision}
    order by package_keys.package_id`.execute(db)
  return rows.map(({ id }) => id)
}

export interface CandidateRow {
  source: AdvisorySource
  advisoryId: string
  key: string
  productKey: string | null
  statements: AffectedStatement[]
  vulnerabilityIds: string[]
}

/** What advisories in force say of these keys, in a fixed order. */
export async function listCandidates(
  db: Db,
  { keys, productKeys }: { keys: readonly string[]; productKeys: readonly string[] },
): Promise<CandidateRow[]> {
  const { rows } = await sql<CandidateRow>`
    with found as (
      select source, advisory_id, key from advisory_affected where key = any(${keys}::text[])
      union
      select source, advisory_id, key from advisory_affected where product_key = any(${productKeys}::text[])
    )
    select affected.source, affected.advisory_id, affected.key, affected.product_key, affected.statements,
      array(
        select link.vulnerability_id from advisory_vulnerabilities as link
        where link.source = affected.source and link.advisory_id = affected.advisory_id
      ) as vulnerability_ids
    from found
    join advisory_affected as affected using (source, advisory_id, key)
    join advisories as advisory
      on advisory.source = affected.source and advisory.id = affected.advisory_id
    where advisory.withdrawn_at is null
    order by affected.source, affected.advisory_id, affected.key`.execute(db)
  return rows
}

interface MatchRow {
  packageId: string
  vulnerabilityId: string
  confidence: Confidence
  evidence: Evidence[]
}

export interface MatchChange {
  packageIds: readonly string[]
  matches: readonly MatchRow[]
  at: Date
  cause: string
}

/**
 * Makes the open matches of the packages those given. What stays the same stays as it is; another confidence is
 * another match, as it decides whether the finding counts; new evidence of the same verdict is only written down.
 */
export async function replaceMatches(tx: Tx, change: MatchChange): Promise<void> {
  const { packageIds, matches, at, cause } = change
  const json = JSON.stringify(matches.toSorted(byKey))
  const input = sql`json_to_recordset(${json}::json) as input (
    "packageId" uuid, "vulnerabilityId" text, confidence text, evidence jsonb)`
  await sql`
    update package_matches as match set until = greatest(${at}, since), ended_cause = ${cause}
    where package_id = any(${packageIds}::uuid[]) and until is null and not exists (
      select from ${input}
      where input."packageId" = match.package_id and input."vulnerabilityId" = match.vulnerability_id
        and input.confidence = match.confidence)`.execute(tx)
  if (matches.length === 0) return
  await sql`
    update package_matches as match set evidence = input.evidence
    from ${input}
    where match.package_id = input."packageId" and match.vulnerability_id = input."vulnerabilityId"
      and match.until is null and match.evidence is distinct from input.evidence`.execute(tx)
  await sql`
    insert into package_matches (package_id, vulnerability_id, since, cause, confidence, evidence)
    select input."packageId", input."vulnerabilityId", ${at}, ${cause}, input.confidence, input.evidence
    from ${input}
    where not exists (
      select from package_matches as match
      where match.package_id = input."packageId" and match.vulnerability_id = input."vulnerabilityId"
        and match.until is null)
    on conflict (package_id, vulnerability_id, since) do update
      set until = null, ended_cause = null, confidence = excluded.confidence, evidence = excluded.evidence`.execute(
    tx,
  )
}

function byKey(a: MatchRow, b: MatchRow): number {
  if (a.packageId !== b.packageId) return a.packageId < b.packageId ? -1 : 1
  return a.vulnerabilityId < b.vulnerabilityId ? -1 : 1
}

export interface MatchedPackage {
  id: string
  /** How many advisories gave no verdict, by reason. */
  undecided: Record<string, number>
}

export async function updatePackagesAsMatched(
  tx: Tx,
  packages: readonly MatchedPackage[],
  { at, rulesVersion }: { at: Date; rulesVersion: number },
): Promise<void> {
  await sql`
    update packages
    set matched_at = ${at}, match_rules_version = ${rulesVersion}, undecided = input.undecided,
      matched_revision = (select coalesce(max(revision), 0) from knowledge_changes)
    from json_to_recordset(${JSON.stringify(packages)}::json) as input (id uuid, undecided jsonb)
    where packages.id = input.id`.execute(tx)
}

/** An SBOM is evaluated when all its packages are, whoever matched them. */
export async function updateEvaluatedSboms(
  db: Db,
  change: { workspaceId: string; firmwareVersionId: string; at: Date },
): Promise<void> {
  const { workspaceId, firmwareVersionId, at } = change
  await sql`
    update sboms as sbom set vulnerabilities_parsed_at = ${at}
    where workspace_id = ${workspaceId} and firmware_version_id = ${firmwareVersionId}
      and parsing_state = 'Succeeded' and vulnerabilities_parsed_at is null and not exists (
        select from sbom_components as component join packages as package on package.id = component.package_id
        where component.workspace_id = ${workspaceId} and component.sbom_id = sbom.id
          and package.matched_at is null)`.execute(db)
}
