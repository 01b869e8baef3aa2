/** Reads all present findings of a firmware version, row by row. Look-ups instead of joins: see the list of findings. */
import { type RawBuilder, sql } from 'kysely'
import type { Acceptance } from '../../formats/acceptances.ts'
import { type Assessment, isActiveSql } from '../../formats/assessments.ts'
import type { Severity } from '../../formats/advisories/model.ts'
import { preferenceSql } from '../../formats/advisories/preference.ts'
import type { Db, Tx } from '../../platform/db/connect.ts'
import type { Confidence } from '../matching/index.ts'
import { IS_LISTED } from '../ssvc/index.ts'
import { severityRankSql } from '../../formats/advisories/severity.ts'

export interface ExportedFinding {
  packageId: string
  vulnerabilityId: string
  name: string
  severity: Severity
  cvssScore: number | null
  epssScore: number | null
  isKnownExploit: boolean
  isDisputed: boolean
  /** What records publish for SSVC, and whether a public list names it as exploited. */
  ssvcClass: number
  isListed: boolean
  assessment: Assessment
  justification: string | null
  responses: string[]
  detail: string | null
  ignored: boolean
  acceptance: Acceptance | null
  isActive: boolean
  confidence: Confidence
  componentName: string
  componentVersion: string | null
  componentVendor: string | null
  componentPurl: string | null
  componentCpe: string | null
  /** The file name of the first SBOM that declares the component. */
  fileName: string | null
  detectedAt: Date
  /** The version has several packages of this name with the vulnerability. */
  isAmbiguous: boolean
  /** Among all of the version, where only some are exported: from 1 on. */
  place: number
  /** The address of the member who looks after the vulnerability. */
  assignee: string | null
  commentCount: number
}

/** With what SSVC decides in words. */
export interface DecidedFinding extends ExportedFinding {
  ssvcOutcome: string | null
  /** The address of the member or the name of the team that it belongs to. */
  owner: string | null
}

export interface ExportedVulnerability {
  id: string
  name: string
  severity: Severity
  cvssScore: number | null
  description: string | null
  sourceUrl: string | null
}

interface Version {
  workspaceId: string
  firmwareVersionId: string
}

/** All queries read the same snapshot. */
export async function* readInOneSnapshot<Item>(
  db: Db,
  read: (tx: Tx) => AsyncGenerator<Item>,
): AsyncGenerator<Item> {
  const tx = await db.startTransaction().setIsolationLevel('repeatable read').execute()
  try {
    yield* read(tx)
  } finally {
    await tx.rollback().execute()
  }
}

const FETCH = 1_000

async function* readRows<Row>(tx: Tx, query: RawBuilder<Row>): AsyncGenerator<Row> {
  await sql`declare exported no scroll cursor for ${query}`.execute(tx)
  for (;;) {
    const { rows } = await sql<Row>`fetch ${sql.lit(FETCH)} from exported`.execute(tx)
    if (rows.length === 0) break
    yield* rows
  }
  await sql`close exported`.execute(tx)
}

/** Of `fact`, packages that the version holds: their matches, with what is decided about them. */
const findings = ({ workspaceId, firmwareVersionId }: Version) => sql`
  cross join lateral (
    select match.* from package_matches as match
    where match.package_id = fact.package_id and match.until is null offset 0
  ) as match
  left join lateral (
    select decision.* from finding_decisions as decision
    where decision.workspace_id = ${workspaceId} and decision.firmware_version_id = ${firmwareVersionId}
      and decision.package_id = match.package_id and decision.vulnerability_id = match.vulnerability_id
    limit 1
  ) as decision on true
  left join lateral (
    select epss.score from epss_scores as epss where epss.cve_id = match.vulnerability_id limit 1
  ) as epss on true`

const active = sql.raw(isActiveSql())
const open = sql.raw(isActiveSql({ confidence: "'High'" }))

const WORST_FIRST = sql`match.is_exploited desc, ${sql.raw(severityRankSql('match.severity'))} desc, epss.score desc nulls last,
  match.score desc nulls last, match.vulnerability_id desc, fact.package_id desc`

/** `discussed`: what the workspace says of each vulnerability that it discusses, as a value of JSON. */
const discussedVulnerabilities = (workspaceId: string) => sql`
  select alias.vulnerability_id, jsonb_build_object(
      'assignee', (array_agg(said.email order by said.at desc nulls last))[1], 'comments', count(said.comment_id)) as said
  from (
    select given.vulnerability_id, person.email, given.assigned_at as at, null::uuid as comment_id
    from vulnerability_assignees as given join people as person on person.id = given.person_id
    where given.workspace_id = ${workspaceId}
    union all
    select comment.vulnerability_id, null, null, comment.id from vulnerability_comments as comment
    where comment.workspace_id = ${workspaceId}
  ) as said
  join vulnerability_aliases as alias on alias.alias = said.vulnerability_id
  group by alias.vulnerability_id`

/** Active ones, then the other open ones, which have low confidence, then closed and ignored ones. */
const ACTIVE_FIRST = sql`${active} desc, ${open} desc, ${WORST_FIRST}`

export function readFindings(tx: Tx, version: Version): AsyncGenerator<ExportedFinding> {
  const { workspaceId, firmwareVersionId } = version
  return readRows(
    tx,
    sql<ExportedFinding>`
      with declared as (
        select component.package_id, (array_agg(sbom.file_name order by sbom.created_at, sbom.id))[1] as file_name
        from sboms as sbom
        join sbom_components as component
          on component.workspace_id = sbom.workspace_id and component.sbom_id = sbom.id
        where sbom.workspace_id = ${workspaceId} and sbom.firmware_version_id = ${firmwareVersionId}
          and sbom.parsing_state = 'Succeeded' and component.package_id is not null
        group by component.package_id
      ), discussed as (
        select jsonb_object_agg(vulnerability_id, said) as all_said from (${discussedVulnerabilities(workspaceId)}) as each
      ), fact as materialized (
        select fact.*, (select jsonb_object_agg(package_id, file_name) from declared) ->> fact.package_id::text as file_name
        from firmware_version_packages as fact
        where fact.workspace_id = ${workspaceId} and fact.firmware_version_id = ${firmwareVersionId} and fact.until is null
      )
      select fact.package_id, match.vulnerability_id, vulnerability.name, match.severity,
        match.score as cvss_score, epss.score as epss_score, vulnerability.is_known_exploit, vulnerability.is_disputed,
        vulnerability.ssvc_class, ${IS_LISTED} as is_listed,
        coalesce(decision.assessment, 'NotAssessed') as assessment, decision.justification,
        coalesce(decision.responses, '{}') as responses, decision.detail,
        coalesce(decision.ignored, false) as ignored, decision.acceptance,
        ${active} as is_active, match.confidence, fact.component_name, fact.component_version,
        fact.component_vendor, fact.component_purl, fact.component_cpe, fact.file_name,
        (select min(greatest(held.since, seen.since))
          from firmware_version_packages as held
          join package_matches as seen on seen.package_id = held.package_id
          where held.workspace_id = ${workspaceId} and held.firmware_version_id = ${firmwareVersionId}
            and held.package_id = fact.package_id and seen.vulnerability_id = match.vulnerability_id
            and greatest(held.since, seen.since)
              < least(coalesce(held.until, 'infinity'), coalesce(seen.until, 'infinity'))) as detected_at,
        count(*) over (partition by match.vulnerability_id, fact.component_name) > 1 as is_ambiguous,
        row_number() over (order by ${ACTIVE_FIRST})::int as place,
        (select all_said from discussed) -> match.vulnerability_id ->> 'assignee' as assignee,
        coalesce(((select all_said from discussed) -> match.vulnerability_id -> 'comments')::int, 0) as comment_count
      from fact ${findings(version)}
      cross join lateral (
        select vulnerability.name, vulnerability.is_known_exploit, vulnerability.is_disputed, vulnerability.ssvc_class from vulnerabilities as vulnerability
        where vulnerability.id = match.vulnerability_id limit 1
      ) as vulnerability
      order by ${WORST_FIRST}`,
  )
}

/** The vulnerabilities of the first `most` findings, each once, with the description of its preferred record. */
export function readVulnerabilities(
  tx: Tx,
  version: Version,
  most: number,
): AsyncGenerator<ExportedVulnerability> {
  const { workspaceId, firmwareVersionId } = version
  return readRows(
    tx,
    sql<ExportedVulnerability>`
      select vulnerability.id, vulnerability.name, vulnerability.severity,
        vulnerability.primary_score as cvss_score, described.description, described.source_url
      from vulnerabilities as vulnerability
      left join lateral (
        select stored.record ->> 'description' as description, stored.record ->> 'sourceUrl' as source_url
        from advisory_vulnerabilities as link
        join advisories as advisory on advisory.source = link.source and advisory.id = link.advisory_id
        join advisory_records as stored on stored.source = link.source and stored.advisory_id = link.advisory_id
        where link.vulnerability_id = vulnerability.id
        order by stored.record ->> 'description' is null, advisory.withdrawn_at is not null,
          ${sql.raw(preferenceSql('advisory.source', 'advisory.id'))}
        limit 1
      ) as described on true
      where vulnerability.id in (
        select match.vulnerability_id
        from firmware_version_packages as fact ${findings(version)}
        where fact.workspace_id = ${workspaceId} and fact.firmware_version_id = ${firmwareVersionId} and fact.until is null
        order by ${ACTIVE_FIRST} limit ${most}
      )
      order by vulnerability.id`,
  )
}
