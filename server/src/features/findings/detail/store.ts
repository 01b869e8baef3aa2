/** Reads one finding with all its details. */
import { sql } from 'kysely'
import {
  type Assessment,
  decideOriginSql,
  type DecisionOrigin,
  type PreviousDecision,
  type StatedIn,
} from '../../../formats/assessments.ts'
import type { Acceptance } from '../../../formats/acceptances.ts'
import type { FindingKey } from '../../../formats/finding-id.ts'
import type {
  AdvisoryRecord,
  ExploitedSource,
  Severity,
} from '../../../formats/advisories/model.ts'
import type { Db } from '../../../platform/db/connect.ts'
import {
  decisionsAt,
  epssScoreAt,
  exploitedSources,
  type Moment,
  wasKnownExploit,
} from '../as-of-store.ts'
import { type DecidedLine, describeDecidedLine, describeLineOf } from '../../firmware/index.ts'
import type { AffectedRow, Confidence, Evidence } from '../../matching/index.ts'
import { latestSpans, spansOfWanted, wantedFindings } from '../finding-keys-store.ts'

/** A time during which the firmware version held the package while the package matched. */
export interface Span {
  since: string
  cause: string
  /** null: the time has not ended. */
  until: string | null
  endedCause: string | null
}

interface KnownExploit {
  dateAdded: string
  dueDate: string | null
  vendorProject: string
  product: string
  ransomware: boolean
  notes: string | null
}

interface FirmwareVersionOfFinding {
  id: string
  name: string
  firmware: { id: string; slug: string; name: string }
}

export interface FindingDetailRow {
  packageId: string
  vulnerabilityId: string
  firmwareVersion: FirmwareVersionOfFinding
  name: string
  severity: Severity
  primaryScore: number | null
  isKnownExploit: boolean
  isDisputed: boolean
  publishedAt: Date | null
  modifiedAt: Date | null
  epssScore: number | null
  epssPercentile: number | null
  knownExploit: KnownExploit | null
  exploitedSources: ExploitedSource[]
  assessment: Assessment
  /** null also for a past instant. */
  origin: DecisionOrigin | null
  ignored: boolean
  acceptance: Acceptance | null
  line: { id: string; name: string } | null
  decidedLine: DecidedLine | null
  justification: string | null
  responses: string[]
  detail: string | null
  recheckReason: string | null
  previousDecision: PreviousDecision | null
  confidence: Confidence
  evidence: Evidence[]
  componentName: string
  componentVersion: string | null
  componentVendor: string | null
  componentPurl: string | null
  componentCpe: string | null
  remediationTargetDays: Record<string, number>
  spans: Span[]
  records: AdvisoryRecord[]
  affected: AffectedRow[]
}

/** For a past instant: the times that had begun then. A later end is left out. */
const spansAt = ({ at, isPast }: Moment) =>
  isPast
    ? sql`select place, firmware_version_id, package_id, vulnerability_id, is_named, since,
        case when until > ${at} then 'infinity' else until end as until, cause,
        case when until > ${at} then null else ended_cause end as ended_cause, held_since, seen_since
      from ever where since <= ${at}`
    : sql`select * from ever`

/** What was decided. Whose word it is, is told of the present only. */
const decidedAt = (
  workspaceId: string,
  { isPast }: Moment,
) => sql`coalesce(decision.assessment, 'NotAssessed') as assessment,
  ${isPast ? sql`null` : sql.raw(decideOriginSql('decision'))} as origin, coalesce(decision.ignored, false) as ignored, decision.acceptance,
  decision.justification, coalesce(decision.responses, '{}') as responses, decision.detail, decision.recheck_reason,
  decision.previous_decision,
  ${describeDecidedLine(workspaceId, sql`coalesce(decision.assessed_line_id, decision.ignored_line_id)`)} as decided_line`

/**
 * Where the finding is, and what was matched of the latest. They are planned by themselves: the order of the twelve joins in
 * one piece takes ten times as long to find as the rows to read.
 */
const partsOfFinding = (workspaceId: string, firmwareVersionId: string) => sql`
  ground as materialized (
    select workspace.remediation_target_days, json_build_object('id', version.id, 'name', version.name,
      'firmware', json_build_object('id', firmware.id, 'slug', firmware.slug, 'name', firmware.name)) as firmware_version,
      ${describeLineOf(workspaceId)} as line
    from workspaces as workspace
    join firmware_versions as version
      on version.workspace_id = workspace.id and version.id = ${firmwareVersionId}
    join firmwares as firmware
      on firmware.workspace_id = version.workspace_id and firmware.id = version.firmware_id
    where workspace.id = ${workspaceId}
  ), matched as materialized (
    select latest.package_id, latest.vulnerability_id, fact.component_name, fact.component_version,
      fact.component_vendor, fact.component_purl, fact.component_cpe, match.severity, match.score, match.confidence,
      evidence.evidence
    from latest
    join firmware_version_packages as fact on fact.workspace_id = ${workspaceId}
      and fact.firmware_version_id = ${firmwareVersionId} and fact.package_id = latest.package_id
      and fact.since = latest.held_since
    join package_matches as match on match.package_id = latest.package_id
      and match.vulnerability_id = latest.vulnerability_id and match.since = latest.seen_since
    join package_match_evidence as evidence
      on evidence.package_id = latest.package_id and evidence.vulnerability_id = latest.vulnerability_id
  )`

/** The finding that an id leads to; undefined: it never existed, or not yet at the instant. */
export async function findFinding(
  db: Db,
  workspaceId: string,
  { moment, ...key }: FindingKey & { moment: Moment },
): Promise<FindingDetailRow | undefined> {
  const { firmwareVersionId } = key
  const { rows } = await sql<FindingDetailRow>`
    with recursive ${wantedFindings(workspaceId, [key])}, ever as (${spansOfWanted(workspaceId)}),
      span as (${spansAt(moment)}), latest as (${latestSpans}),
      ${partsOfFinding(workspaceId, firmwareVersionId)}
    select matched.package_id, matched.vulnerability_id, vulnerability.name, matched.severity,
      matched.score as primary_score, ${wasKnownExploit(moment)} as is_known_exploit, vulnerability.is_disputed,
      vulnerability.published_at,
      vulnerability.modified_at, ${epssScoreAt(moment)} as epss_score,
      case when not ${moment.isPast} then epss.percentile end as epss_percentile,
      ${decidedAt(workspaceId, moment)}, matched.confidence, matched.evidence, matched.component_name, matched.component_version,
      matched.component_vendor, matched.component_purl, matched.component_cpe, ground.remediation_target_days,
      ground.firmware_version, ground.line,
      (select json_build_object('dateAdded', date_added, 'dueDate', due_date, 'vendorProject', details -> 'vendorProject',
          'product', details -> 'product', 'ransomware', details -> 'ransomware', 'notes', details -> 'notes')
        from kev_entries where cve_id = matched.vulnerability_id and ${wasKnownExploit(moment)}) as known_exploit,
      ${exploitedSources(sql`matched.vulnerability_id`, moment)} as exploited_sources,
      (select json_agg(json_build_object('since', since, 'cause', cause, 'until', nullif(until, 'infinity'),
          'endedCause', ended_cause) order by since)
        from span where span.vulnerability_id = matched.vulnerability_id and span.package_id = matched.package_id) as spans,
      (select coalesce(json_agg(json_build_object('source', advisory.source, 'id', advisory.id, 'record', stored.record,
          'isWithdrawn', advisory.withdrawn_at is not null) order by advisory.source, advisory.id), '[]')
        from advisory_vulnerabilities as link
        join advisories as advisory on advisory.source = link.source and advisory.id = link.advisory_id
        join advisory_records as stored on stored.source = link.source and stored.advisory_id = link.advisory_id
        where link.vulnerability_id = matched.vulnerability_id) as records,
      (select coalesce(json_agg(json_build_object('source', affected.source, 'advisoryId', affected.advisory_id,
          'key', affected.key, 'statements', affected.statements)
          order by affected.source, affected.advisory_id, affected.key), '[]')
        from advisory_affected as affected
        where (affected.source, affected.advisory_id, affected.key) in (
          select item ->> 'source', item ->> 'advisoryId', item ->> 'key'
          from jsonb_array_elements(matched.evidence) as item)) as affected
    from matched
    cross join ground
    join vulnerabilities as vulnerability on vulnerability.id = matched.vulnerability_id
    left join epss_scores as epss on epss.cve_id = matched.vulnerability_id
    left join ${decisionsAt({ workspaceId, firmwareVersionId }, moment)} as decision
      on decision.workspace_id = ${workspaceId}
      and decision.firmware_version_id = ${firmwareVersionId} and decision.package_id = matched.package_id
      and decision.vulnerability_id = matched.vulnerability_id`.execute(db)
  return rows[0]
}

export interface Member {
  sbomId: string
  fileName: string
  node: number
  name: string
  sourceName: string | null
  version: string | null
  vendor: string | null
  purl: string | null
  cpe: string | null
}

/** The components of the firmware version that stand for the package. */
export async function listMembers(
  db: Db,
  workspaceId: string,
  { firmwareVersionId, packageId }: Pick<FindingKey, 'firmwareVersionId' | 'packageId'>,
): Promise<Member[]> {
  return db
    .selectFrom('sbomComponents as component')
    .innerJoin('sboms as sbom', (join) =>
      join
        .onRef('sbom.workspaceId', '=', 'component.workspaceId')
        .onRef('sbom.id', '=', 'component.sbomId'),
    )
    .select([
      'sbom.id as sbomId',
      'sbom.fileName',
      'component.node',
      'component.packageName as name',
      'component.sourceName',
    ])
    .select(['component.version', 'component.vendor', 'component.purl'])
    .select(sql<string | null>`component.cpes[1]`.as('cpe'))
    .where('component.workspaceId', '=', workspaceId)
    .where('component.packageId', '=', packageId)
    .where('sbom.firmwareVersionId', '=', firmwareVersionId)
    .where('sbom.parsingState', '=', 'Succeeded')
    .orderBy('sbom.createdAt')
    .orderBy('sbom.id')
    .orderBy('component.node')
    .execute()
}

export interface StatedRow {
  statementId: string
  assessment: Assessment
  justification: string | null
  detail: string | null
  responses: string[]
  since: Date
  statedIn: StatedIn
}

/** What each VEX document says last about the finding, the newest first. */
export async function listStatementsAbout(
  db: Db,
  key: FindingKey & { workspaceId: string },
): Promise<StatedRow[]> {
  const { workspaceId, firmwareVersionId, packageId, vulnerabilityId } = key
  const { rows } = await sql<StatedRow>`
    select distinct on (statement.stated_at, statement.received_at, statement.id) statement.id as statement_id,
      statement.assessment, statement.justification, statement.detail, statement.responses,
      statement.received_at as since, jsonb_build_object('vexDocumentId', document.id, 'format', document.format,
        'documentId', document.document_id, 'author', document.author, 'statedAt', statement.stated_at,
        'importedByEmail', document.received_by_email, 'sbomFileName', sbom.file_name) as stated_in
    from vulnerability_aliases as alias
    join vex_statement_targets as target on target.workspace_id = ${workspaceId}
      and target.firmware_version_id = ${firmwareVersionId} and target.vulnerability = alias.alias
    join vex_statements as statement
      on statement.workspace_id = target.workspace_id and statement.id = target.statement_id
    join vex_documents as document
      on document.workspace_id = statement.workspace_id and document.id = statement.document_id
    left join sboms as sbom on sbom.workspace_id = document.workspace_id and sbom.id = document.sbom_id
    where statement.origin = 'Document' and alias.vulnerability_id = ${vulnerabilityId} and case
      when target.package_id is not null then target.package_id = ${packageId}
      when target.sbom_id is not null then exists (
        select from sbom_components as component
        where component.workspace_id = ${workspaceId} and component.sbom_id = target.sbom_id
          and component.package_id = ${packageId})
      else true end
    order by statement.stated_at desc, statement.received_at desc, statement.id desc`.execute(db)
  const newest = new Map<string, StatedRow>()
  for (const row of rows)
    if (!newest.has(row.statedIn.vexDocumentId)) newest.set(row.statedIn.vexDocumentId, row)
  return [...newest.values()]
}
