/** Reads what a VEX document about a firmware version contains. */
import { sql } from 'kysely'
import type { JsonObject } from '../../../formats/sboms/json-values.ts'
import type { VexFormat } from '../../../formats/vex/model.ts'
import type {
  VexAssessment,
  VexJustification,
  VexResponse,
} from '../../../formats/vex/vocabulary.ts'
import type { Db } from '../../../platform/db/connect.ts'
import type { VersionScope } from '../targets/store.ts'

interface VerdictColumns {
  assessment: VexAssessment
  justification: VexJustification | null
  detail: string | null
  responses: VexResponse[]
  statedAt: Date
  title: string | null
}

export interface DecidedRow extends VerdictColumns {
  packageId: string
  vulnerabilityId: string
  statementId: string | null
}

/** Somebody lives with it: nobody says that it does no harm. */
export const IS_ACCEPTED = sql`(decision.ignored and decision.acceptance is not null
  and decision.assessment in ('NotAssessed', 'InTriage', 'Exploitable'))`
/** What an assessment says of an accepted risk outweighs what accepting it means. */
const IS_SAID = sql`(decision.assessment = 'Exploitable' and decision.responses <> '{}')`
export const MEANS = sql`(${IS_ACCEPTED} and not ${IS_SAID})`

/** The assessments of present findings. An accepted risk is exploitable and will not be fixed; its reason stays in the house. */
export async function listDecided(
  db: Db,
  { workspaceId, firmwareVersionId }: VersionScope,
): Promise<DecidedRow[]> {
  const { rows } = await sql<DecidedRow>`
    select decision.package_id, decision.vulnerability_id,
      case when ${MEANS} then 'Exploitable' else decision.assessment end as assessment, decision.justification, decision.detail,
      case when ${MEANS} then array['will_not_fix'] else decision.responses end as responses,
      case when not ${MEANS} then decision.statement_id end as statement_id, vulnerability.name as title,
      case when ${MEANS} then (decision.acceptance ->> 'acceptedAt')::timestamptz
        else coalesce(statement.stated_at, decision.assessed_at, decision.updated_at) end as stated_at
    from finding_decisions as decision
    join firmware_version_packages as fact on fact.workspace_id = decision.workspace_id
      and fact.firmware_version_id = decision.firmware_version_id and fact.package_id = decision.package_id
      and fact.until is null
    join package_matches as match on match.package_id = decision.package_id
      and match.vulnerability_id = decision.vulnerability_id and match.until is null
    join vulnerabilities as vulnerability on vulnerability.id = decision.vulnerability_id
    left join vex_statements as statement on statement.workspace_id = decision.workspace_id
      and statement.id = decision.statement_id and decision.source = 'Vex'
    where decision.workspace_id = ${workspaceId} and decision.firmware_version_id = ${firmwareVersionId}
      and (decision.assessment <> 'NotAssessed' or ${IS_ACCEPTED})
    order by decision.vulnerability_id, decision.package_id`.execute(db)
  return rows
}

/** Whether a present finding is assessed. */
export async function isAnyDecided(
  db: Db,
  { workspaceId, firmwareVersionId }: VersionScope,
): Promise<boolean> {
  const { rows } = await sql<{ isAny: boolean }>`
    select exists (
      select from finding_decisions as decision
      join firmware_version_packages as fact on fact.workspace_id = decision.workspace_id
        and fact.firmware_version_id = decision.firmware_version_id and fact.package_id = decision.package_id
        and fact.until is null
      join package_matches as match on match.package_id = decision.package_id
        and match.vulnerability_id = decision.vulnerability_id and match.until is null
      where decision.workspace_id = ${workspaceId} and decision.firmware_version_id = ${firmwareVersionId}
        and (decision.assessment <> 'NotAssessed' or ${IS_ACCEPTED})) as is_any`.execute(db)
  return rows.some(({ isAny }) => isAny)
}

export interface HeldPackage {
  packageId: string
  name: string
  version: string | null
  purl: string | null
  cpe: string | null
}

export async function listHeldPackages(
  db: Db,
  { workspaceId, firmwareVersionId }: VersionScope,
): Promise<HeldPackage[]> {
  return db
    .selectFrom('firmwareVersionPackages')
    .select(['packageId', 'componentName as name', 'componentVersion as version'])
    .select(['componentPurl as purl', 'componentCpe as cpe'])
    .where('workspaceId', '=', workspaceId)
    .where('firmwareVersionId', '=', firmwareVersionId)
    .where('until', 'is', null)
    .orderBy('componentPurl')
    .orderBy('componentName')
    .orderBy('packageId')
    .execute()
}

export interface ReceivedRow extends VerdictColumns {
  id: string
  documentId: string
  format: VexFormat
  vulnerability: string
  original: JsonObject
  envelope: JsonObject
  packageIds: string[]
  /** It applies to the whole firmware version, or to all that an SBOM describes. */
  isWhole: boolean
}

/** Received statements that apply to something the version holds. */
export async function listReceived(
  db: Db,
  { workspaceId, firmwareVersionId }: VersionScope,
): Promise<ReceivedRow[]> {
  const { rows } = await sql<ReceivedRow>`
    with target as materialized (
      select statement_id, vulnerability,
        coalesce(array_agg(distinct package_id) filter (where package_id is not null), '{}') as package_ids,
        bool_or(package_id is null) as is_whole, bool_or(sbom_id is not null) as is_of_sbom
      from vex_statement_targets
      where workspace_id = ${workspaceId} and firmware_version_id = ${firmwareVersionId}
      group by statement_id, vulnerability
    )
    select statement.id, statement.document_id, document.format, statement.vulnerability, statement.assessment,
      statement.justification, statement.detail, statement.responses, statement.stated_at, statement.original,
      document.envelope, vulnerability.name as title, target.package_ids, target.is_whole
    from vex_statements as statement
    join vex_documents as document
      on document.workspace_id = statement.workspace_id and document.id = statement.document_id
    join target on target.statement_id = statement.id and target.vulnerability = statement.vulnerability
    left join vulnerabilities as vulnerability on vulnerability.id = statement.vulnerability
    where statement.workspace_id = ${workspaceId} and statement.firmware_version_id = ${firmwareVersionId}
      -- The document calls the version otherwise than others would understand.
      and not exists (
        select from json_array_elements(statement.products) as product where product ->> 'isVersion' = 'true')
      -- What an SBOM describes is the whole product only if there is no other SBOM.
      and not (target.is_of_sbom and (
        select count(*) from sboms
        where sboms.workspace_id = ${workspaceId} and sboms.firmware_version_id = ${firmwareVersionId}) > 1)
    order by statement.vulnerability, statement.id`.execute(db)
  return rows
}

export async function findWorkspaceName(db: Db, workspaceId: string): Promise<string> {
  const { name } = await db
    .selectFrom('workspaces')
    .select('name')
    .where('id', '=', workspaceId)
    .executeTakeFirstOrThrow()
  return name
}

/** That somebody was handed the document. Nothing is written where nothing was decided since the last time. */
export async function recordPublication(
  db: Db,
  { workspaceId, firmwareVersionId, at }: VersionScope & { at: Date },
): Promise<void> {
  await sql`
    insert into vex_publications (workspace_id, firmware_version_id, published_at)
    select version.workspace_id, version.id, ${at}
    from firmware_versions as version
    where version.workspace_id = ${workspaceId} and version.id = ${firmwareVersionId} and exists (
      select from finding_timeline as entry
      where entry.workspace_id = ${workspaceId} and entry.firmware_version_id = version.id
        and entry.created_at <= ${at} and entry.created_at > coalesce((
          select max(last.published_at) from vex_publications as last
          where last.workspace_id = ${workspaceId} and last.firmware_version_id = version.id), '-infinity'))
    on conflict do nothing`.execute(db)
}

/** Devices that run it report its SHA-256; undefined: none was uploaded. */
export async function findFullImage(
  db: Db,
  { workspaceId, firmwareVersionId }: VersionScope,
): Promise<{ fileName: string; sha256: string } | undefined> {
  return db
    .selectFrom('firmwareArtifacts')
    .select(['fileName', 'sha256'])
    .where('workspaceId', '=', workspaceId)
    .where('firmwareVersionId', '=', firmwareVersionId)
    .executeTakeFirst()
}
