/** One vulnerability: what sources say of it, and where the workspace has it. */
import { type RawBuilder, sql } from 'kysely'
import { type Assessment, type DecisionSource, isActiveSql } from '../../../formats/assessments.ts'
import type {
  AdvisoryRecord,
  ExploitedSource,
  Severity,
} from '../../../formats/advisories/model.ts'
import type { Db } from '../../../platform/db/connect.ts'
import { describeLineOf } from '../../firmware/index.ts'
import { selectFindingsAt } from './past-store.ts'

export interface KnownVulnerability {
  name: string
  severity: Severity
  primaryScore: number | null
  isKnownExploit: boolean
  isDisputed: boolean
  knownExploitSince: Date | null
  exploitedSources: ExploitedSource[]
  publishedAt: Date | null
  modifiedAt: Date | null
  epssScore: number | null
  epssPercentile: number | null
  aliases: string[]
  records: AdvisoryRecord[]
}

export async function findVulnerability(
  db: Db,
  id: string,
): Promise<KnownVulnerability | undefined> {
  const { rows } = await sql<KnownVulnerability>`
    select vulnerability.name, vulnerability.severity, vulnerability.primary_score, vulnerability.is_known_exploit,
      vulnerability.is_disputed,
      vulnerability.known_exploit_since,
      (select coalesce(json_agg(json_build_object('source', source, 'dateAdded', date_added) order by date_added, source), '[]')
        from (
          select 'cisa' as source, date_added from kev_entries where cve_id = vulnerability.id
          union all select 'enisa', date_added from eu_exploited_entries where cve_id = vulnerability.id
        ) as listed) as exploited_sources,
      vulnerability.published_at, vulnerability.modified_at, epss.score as epss_score,
      epss.percentile as epss_percentile,
      array(select alias from vulnerability_aliases as known
        where known.vulnerability_id = vulnerability.id and known.alias <> vulnerability.id order by alias) as aliases,
      (select coalesce(json_agg(json_build_object('source', advisory.source, 'id', advisory.id, 'record', stored.record,
          'isWithdrawn', advisory.withdrawn_at is not null) order by advisory.source, advisory.id), '[]')
        from advisory_vulnerabilities as link
        join advisories as advisory on advisory.source = link.source and advisory.id = link.advisory_id
        join advisory_records as stored on stored.source = link.source and stored.advisory_id = link.advisory_id
        where link.vulnerability_id = vulnerability.id) as records
    from vulnerabilities as vulnerability
    left join epss_scores as epss on epss.cve_id = vulnerability.id
    where vulnerability.id = ${id}`.execute(db)
  return rows[0]
}

export interface FoundIn {
  packageId: string
  firmwareVersion: NamedVersion
  line: { id: string; name: string } | null
  component: { name: string; version: string | null }
  assessment: Assessment
  ignored: boolean
  isActive: boolean
  recheckReason: string | null
  confidence: 'High' | 'Medium' | 'Low'
  severity: Severity
  deviceCount: number
  detectedAt: Date
  dueAt: Date | null
  decision: FoundDecision | null
}

interface FoundDecision {
  source: DecisionSource
  decidedByEmail: string | null
  decidedAt: string
  justification: string | null
  response: string | null
  detail: string | null
}

export interface NamedVersion {
  id: string
  name: string
  firmware: { id: string; slug: string; name: string }
}

export interface VulnerabilityKey {
  workspaceId: string
  id: string
}

/** `at`: a past instant, of which devices are not known; undefined: now. */
export type VulnerabilityAt = VulnerabilityKey & { at?: Date }

const isActive = sql.raw(isActiveSql())

/** The findings of the vulnerability that hold now, or held at the instant. */
const held = ({ workspaceId, id, at }: VulnerabilityAt) =>
  at
    ? selectFindingsAt({ workspaceId, at, of: { vulnerabilityId: id } })
    : sql`
  package_matches as match
  join firmware_version_packages as fact on fact.workspace_id = ${workspaceId}
    and fact.package_id = match.package_id and fact.until is null
  left join finding_decisions as decision on decision.workspace_id = ${workspaceId}
    and decision.firmware_version_id = fact.firmware_version_id and decision.package_id = fact.package_id
    and decision.vulnerability_id = match.vulnerability_id
  where match.vulnerability_id = ${id} and match.until is null`

/** The first time that both held: also before a change of the confidence, and before an interruption. */
const detectedAt = ({ workspaceId }: VulnerabilityKey) => sql`(
  select min(greatest(had.since, seen.since))
  from firmware_version_packages as had
  join package_matches as seen on seen.package_id = had.package_id and seen.vulnerability_id = match.vulnerability_id
  where had.workspace_id = ${workspaceId} and had.firmware_version_id = fact.firmware_version_id
    and had.package_id = fact.package_id
    and greatest(had.since, seen.since) < least(coalesce(had.until, 'infinity'), coalesce(seen.until, 'infinity')))`

const decisionMade: RawBuilder<unknown> = sql`case
  when decision.assessment <> 'NotAssessed' or decision.ignored then json_build_object('source', decision.source,
    'decidedByEmail', decision.decided_by_email, 'decidedAt', decision.updated_at, 'justification', decision.justification,
    'response', decision.responses[1], 'detail', decision.detail) end`

const namedVersion: RawBuilder<unknown> = sql`json_build_object('id', version.id, 'name', version.name,
  'firmware', json_build_object('id', firmware.id, 'slug', firmware.slug, 'name', firmware.name))`

/** Active ones first, then on most devices, then in the newest versions. */
export async function listFindings(
  db: Db,
  asked: VulnerabilityAt,
  limit: number,
): Promise<FoundIn[]> {
  const { workspaceId } = asked
  const { rows } = await sql<FoundIn>`
    with found as materialized (
      select fact.firmware_version_id, fact.package_id, fact.component_name, fact.component_version,
        coalesce(decision.assessment, 'NotAssessed') as assessment, coalesce(decision.ignored, false) as ignored, ${isActive} as is_active, decision.recheck_reason,
        match.confidence, match.severity, ${detectedAt(asked)} as detected_at, ${decisionMade} as decision
      from ${held(asked)}
    ), running as (
      select counts.firmware_version_id, sum(counts.devices)::int as devices
      from firmware_version_device_counts as counts
      where counts.workspace_id = ${workspaceId}
        and counts.firmware_version_id in (select firmware_version_id from found) and ${!asked.at}
      group by counts.firmware_version_id
    )
    select found.package_id, ${namedVersion} as firmware_version, ${describeLineOf(workspaceId)} as line,
      json_build_object('name', found.component_name, 'version', found.component_version) as component,
      found.assessment, found.ignored, found.is_active, found.recheck_reason, found.confidence, found.severity,
      coalesce(running.devices, 0) as device_count, found.detected_at,
      found.detected_at + (workspace.remediation_target_days ->> found.severity)::int * interval '1 day' as due_at,
      found.decision
    from found
    join workspaces as workspace on workspace.id = ${workspaceId}
    join firmware_versions as version
      on version.workspace_id = ${workspaceId} and version.id = found.firmware_version_id
    join firmwares as firmware on firmware.workspace_id = ${workspaceId} and firmware.id = version.firmware_id
    left join running on running.firmware_version_id = found.firmware_version_id
    order by found.is_active desc, device_count desc, version.created_at desc, version.id, found.package_id
    limit ${limit}`.execute(db)
  return rows
}

export interface Totals {
  findingCount: number
  activeFindingCount: number
  firmwareVersionCount: number
  activeFirmwareVersionCount: number
  affectedDeviceCount: number
  activeDeviceCount: number
}

/** Counts all findings that hold now; a device that runs several of the versions counts once. */
export async function countFindings(db: Db, asked: VulnerabilityAt): Promise<Totals> {
  const { rows } = await sql<Totals>`
    with found as materialized (
      select fact.firmware_version_id as id, count(*)::int as findings, (count(*) filter (where ${isActive}))::int as active
      from ${held(asked)} group by fact.firmware_version_id
    ), running as (
      select sets.devices, bool_or(found.active > 0) as is_active
      from firmware_set_device_counts as sets
      cross join lateral unnest(sets.firmware_version_ids) as run (id)
      join found on found.id = run.id
      where sets.workspace_id = ${asked.workspaceId} and ${!asked.at}
      group by sets.firmware_version_ids, sets.devices
    ), devices as (
      select coalesce(sum(devices), 0)::int as affected, coalesce(sum(devices) filter (where is_active), 0)::int as active
      from running
    )
    select coalesce(sum(findings), 0)::int as finding_count, coalesce(sum(found.active), 0)::int as active_finding_count,
      count(*)::int as firmware_version_count, (count(*) filter (where found.active > 0))::int as active_firmware_version_count,
      (select affected from devices) as affected_device_count, (select active from devices) as active_device_count
    from found`.execute(db)
  const [totals] = rows
  if (!totals) throw new Error('An aggregate answers one row.')
  return totals
}

export interface FixedIn {
  firmwareVersion: NamedVersion
  line: { id: string; name: string } | null
  /** The component of the same name; null: the version has none. */
  component: { name: string; version: string | null } | null
}

/** Later versions of the same firmwares that were read and have no such finding, the newest first. */
export async function listFixedVersions(
  db: Db,
  asked: VulnerabilityKey,
  limit: number,
): Promise<FixedIn[]> {
  const { workspaceId } = asked
  const { rows } = await sql<FixedIn>`
    with found as materialized (
      select version.firmware_id, fact.firmware_version_id as id, fact.component_name, version.created_at
      from (select fact.firmware_version_id, fact.component_name from ${held(asked)}) as fact
      join firmware_versions as version
        on version.workspace_id = ${workspaceId} and version.id = fact.firmware_version_id
    ), first as (
      select firmware_id, min(created_at) as created_at, array_agg(distinct component_name) as names
      from found group by firmware_id
    ), chosen as materialized (
      select version.*, first.names
      from first
      join firmware_versions as version on version.workspace_id = ${workspaceId}
        and version.firmware_id = first.firmware_id and version.created_at > first.created_at
      where version.id not in (select id from found) and exists (
        select from sboms where workspace_id = ${workspaceId} and firmware_version_id = version.id
          and parsing_state = 'Succeeded')
      order by version.created_at desc, version.id limit ${limit}
    )
    select ${namedVersion} as firmware_version, ${describeLineOf(workspaceId)} as line, holding.component
    from chosen as version
    join firmwares as firmware on firmware.workspace_id = ${workspaceId} and firmware.id = version.firmware_id
    left join lateral (
      select json_build_object('name', fact.component_name, 'version', fact.component_version) as component
      from firmware_version_packages as fact
      where fact.workspace_id = ${workspaceId} and fact.firmware_version_id = version.id and fact.until is null
        and fact.component_name = any(version.names)
      order by fact.component_name, fact.component_version desc limit 1
    ) as holding on true
    order by version.created_at desc, version.id`.execute(db)
  return rows
}

export interface LookedAt {
  firmwareVersionCount: number
  packageCount: number
  newestSbomAt: Date | null
}

/** What of the workspace was compared with the records. */
export async function readLookedAt(db: Db, workspaceId: string): Promise<LookedAt> {
  const { rows } = await sql<LookedAt>`
    select (select count(*)::int from firmware_version_counters where workspace_id = ${workspaceId})
        as firmware_version_count,
      (select count(*)::int from workspace_packages where workspace_id = ${workspaceId} and version_count > 0)
        as package_count,
      (select max(created_at) from sboms where workspace_id = ${workspaceId} and parsing_state = 'Succeeded')
        as newest_sbom_at`.execute(db)
  const [looked] = rows
  if (!looked) throw new Error('The statement answers one row.')
  return looked
}

/** When the first of the findings that held at the instant was detected. */
export async function findDetectedAtThen(
  db: Db,
  asked: Required<VulnerabilityAt>,
): Promise<Date | undefined> {
  const { rows } = await sql<{ detectedAt: Date | null }>`
    select min(${detectedAt(asked)}) as detected_at from ${held(asked)}`.execute(db)
  return rows[0]?.detectedAt ?? undefined
}

/** As lists tell it; undefined: the workspace has no finding of it. */
export async function findDetectedAt(
  db: Db,
  { workspaceId, id }: VulnerabilityKey,
): Promise<Date | undefined> {
  const row = await db
    .selectFrom('workspaceMatches')
    .select((eb) => eb.fn.min('detectedAt').as('detectedAt'))
    .where('workspaceId', '=', workspaceId)
    .where('vulnerabilityId', '=', id)
    .executeTakeFirst()
  return row?.detectedAt ?? undefined
}

export async function isHere(db: Db, { workspaceId, id }: VulnerabilityKey): Promise<boolean> {
  const row = await db
    .selectFrom('workspaceMatches')
    .select('packageId')
    .where('workspaceId', '=', workspaceId)
    .where('vulnerabilityId', '=', id)
    .limit(1)
    .executeTakeFirst()
  return row !== undefined
}
