/** Thousands of findings of one firmware version, written as matching leaves them, without statistics of the tables. */
import { sql } from 'kysely'
import type { Db } from '../src/platform/db/connect.ts'

export interface ManyFindings {
  workspaceId: string
  firmwareVersionId: string
  /** Findings of one package, called `kernel`; the first half of them is assessed as InTriage. */
  ofKernel: number
  /** Including the kernel; each of the others, `part-2` and so on, has one finding. */
  packages: number
  /** Matches of packages that no version holds, 1,000 a package. */
  foreign: number
}

/** Names and ids: package `n` is `md5('package n')`, vulnerability `n` is `CVE-2024-n`, called `Flaw n`. */
export async function givenManyFindings(db: Db, given: ManyFindings): Promise<void> {
  // Otherwise PostgreSQL may analyse the tables at any time.
  for (const table of UNANALYSED)
    await sql`alter table ${sql.table(table)} set (autovacuum_enabled = off)`.execute(db)
  await insertKnowledge(db, given)
  await insertInventory(db, given)
  const { workspaceId, firmwareVersionId, ofKernel } = given
  await sql`
    insert into finding_decisions
      (workspace_id, firmware_version_id, package_id, vulnerability_id, assessment, updated_at)
    select ${workspaceId}, ${firmwareVersionId}, md5('package 1')::uuid, 'CVE-2024-' || n, 'InTriage', now()
    from generate_series(1, ${ofKernel}::int / 2) as n`.execute(db)
  await sql`
    insert into workspace_decisions
      (workspace_id, vulnerability_id, package_id, assessment, ignored, finding_count)
    select workspace_id, vulnerability_id, package_id, assessment, ignored, 1
    from finding_decisions where workspace_id = ${workspaceId}`.execute(db)
  await keepStates(db, workspaceId)
}

/** Each match is of one version: it is `InTriage`, or nobody decided about it. All confidences are high. */
async function keepStates(db: Db, workspaceId: string): Promise<void> {
  await sql`
    update workspace_matches as kept set states = case when exists (
      select from workspace_decisions as decided
      where decided.workspace_id = kept.workspace_id and decided.package_id = kept.package_id
        and decided.vulnerability_id = kept.vulnerability_id) then 4 else 1 end
    where workspace_id = ${workspaceId}`.execute(db)
  await keepComponentVulnerabilities(db, workspaceId)
}

/** What the matches of a workspace have together, by component and vulnerability. */
export async function keepComponentVulnerabilities(db: Db, workspaceId: string): Promise<void> {
  await sql`
    insert into workspace_component_vulnerabilities (workspace_id, component_name, vulnerability_id, name, first_detected_at,
      last_detected_at, states, severity_rank, score, is_exploited, device_magnitude, finding_count, epss_score)
    select kept.workspace_id, kept.component_name, kept.vulnerability_id, min(known.name), min(kept.detected_at), max(kept.detected_at),
      bit_or(kept.states), max(kept.severity_rank), max(known.primary_score), bool_or(kept.is_exploited), 0, sum(owned.version_count),
      coalesce(max(epss.score), -1)
    from workspace_matches as kept
    join workspace_packages as owned on owned.workspace_id = kept.workspace_id and owned.package_id = kept.package_id
    join vulnerabilities as known on known.id = kept.vulnerability_id
    left join epss_scores as epss on epss.cve_id = kept.vulnerability_id
    where kept.workspace_id = ${workspaceId} group by 1, 2, 3`.execute(db)
}

/** What the workspace keeps of which version holds its packages, where it has one version. */
export async function keepVersionBits(
  db: Db,
  { workspaceId, firmwareVersionId }: Pick<ManyFindings, 'workspaceId' | 'firmwareVersionId'>,
): Promise<void> {
  await sql`
    insert into workspace_versions (workspace_id, firmware_version_id, number)
    values (${workspaceId}, ${firmwareVersionId}, 0)`.execute(db)
  await sql`
    insert into workspace_package_versions (workspace_id, package_id, block, versions)
    select workspace_id, package_id, 0, 1 from workspace_packages where workspace_id = ${workspaceId}`.execute(
    db,
  )
}

const UNANALYSED = [
  'epss_scores',
  'finding_decisions',
  'firmware_version_packages',
  'package_matches',
  'packages',
  'sbom_components',
  'vulnerabilities',
  'workspace_component_vulnerabilities',
  'workspace_decisions',
  'workspace_matches',
  'workspace_package_versions',
  'workspace_packages',
  'workspace_versions',
]
const SEVERITY = sql`(array['Critical', 'High', 'Medium'])[1 + n % 3]`

async function insertKnowledge(db: Db, { ofKernel, packages, foreign }: ManyFindings) {
  await sql`
    insert into vulnerabilities (id, name, severity, primary_score, is_known_exploit, updated_at)
    select 'CVE-2024-' || n, 'Flaw ' || n, ${SEVERITY}, n % 10, n % 500 = 0, now()
    from generate_series(1, ${ofKernel}::int) as n`.execute(db)
  await sql`
    insert into epss_scores (cve_id, score, percentile)
    select id, abs(hashtext(id) % 4096) / 4096.0, 0.5 from vulnerabilities`.execute(db)
  await sql`
    insert into packages (id, identity, created_at, matched_at)
    select md5('package ' || n)::uuid, '{"pairs": [{"key": "cpe:acme:part"}]}', now(), now()
    from generate_series(1, ${packages}::int + ${foreign}::int / 1000) as n`.execute(db)
  await sql`
    insert into package_matches (package_id, vulnerability_id, since, cause, confidence, severity, score)
    select md5('package ' || package)::uuid, 'CVE-2024-' || n, now(), 'PackageMatched', 'High', ${SEVERITY}, n % 10
    from (
      select 1 as package, n from generate_series(1, ${ofKernel}::int) as n
      union all select n, n from generate_series(2, ${packages}::int) as n
      union all select ${packages}::int + 1 + n / 1000, 1 + n % 1000 from generate_series(0, ${foreign}::int - 1) as n
    ) as each`.execute(db)
}

async function insertInventory(db: Db, given: ManyFindings): Promise<void> {
  const { workspaceId, firmwareVersionId, packages } = given
  const sbomId = crypto.randomUUID()
  await sql`
    insert into sboms
      (workspace_id, id, firmware_version_id, file_name, parsing_state, size_bytes, sha256, created_at)
    values (${workspaceId}, ${sbomId}, ${firmwareVersionId}, 'a.json', 'Succeeded', 1, 'a', now())`.execute(
    db,
  )
  await sql`
    insert into sbom_components
      (workspace_id, sbom_id, node, id, package_name, version, cpes, licenses, hashes, package_id)
    select ${workspaceId}, ${sbomId}, n, gen_random_uuid(), case n when 1 then 'kernel' else 'part-' || n end, '1.0',
      '{}', '{}', '[]', md5('package ' || n)::uuid
    from generate_series(1, ${packages}::int) as n`.execute(db)
  await sql`
    insert into workspace_packages
      (workspace_id, package_id, version_count, held_since, open_since, component_name, component_version)
    select ${workspaceId}, package_id, 1, now(), now(), package_name, version
    from sbom_components where sbom_id = ${sbomId}`.execute(db)
  await sql`
    insert into workspace_matches
      (workspace_id, vulnerability_id, package_id, detected_at, component_name, severity_rank, is_exploited)
    select owned.workspace_id, match.vulnerability_id, owned.package_id, greatest(owned.held_since, match.since),
      owned.component_name, array_position('{Unknown,None,Low,Medium,High,Critical}', match.severity), known.is_known_exploit
    from workspace_packages as owned join package_matches as match using (package_id)
    join vulnerabilities as known on known.id = match.vulnerability_id
    where owned.workspace_id = ${workspaceId}`.execute(db)
  await sql`
    insert into firmware_version_packages
      (workspace_id, firmware_version_id, package_id, since, cause, component_name, component_version)
    select ${workspaceId}, ${firmwareVersionId}, package_id, now(), 'SbomParsed', package_name, version
    from sbom_components where sbom_id = ${sbomId}`.execute(db)
  await keepVersionBits(db, given)
}
