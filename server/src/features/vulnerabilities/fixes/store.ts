/** What records say ends the findings of one firmware version, and which later versions of ours have them no more. */
import { sql } from 'kysely'
import type { Db } from '../../../platform/db/connect.ts'
import type { AffectedRow } from '../../matching/index.ts'

export interface MatchedPair {
  packageId: string
  vulnerabilityId: string
}

export interface MatchedRecords extends MatchedPair {
  /** The version of ours that was found in a range. */
  version: string | null
  affected: AffectedRow[]
}

/** What the match of each pair was read from. Pairs that are no findings of the version now are left out. */
export async function listMatchedRecords(
  db: Db,
  { workspaceId, firmwareVersionId }: { workspaceId: string; firmwareVersionId: string },
  pairs: readonly MatchedPair[],
): Promise<MatchedRecords[]> {
  const { rows } = await sql<MatchedRecords>`
    select evidence.package_id, evidence.vulnerability_id,
      (select item ->> 'version' from jsonb_array_elements(evidence.evidence) as item
        where item ->> 'verdict' = 'affected' limit 1) as version,
      (select coalesce(json_agg(json_build_object('source', affected.source, 'advisoryId', affected.advisory_id,
          'key', affected.key, 'statements', affected.statements)), '[]')
        from advisory_affected as affected
        where (affected.source, affected.advisory_id, affected.key) in (
          select item ->> 'source', item ->> 'advisoryId', item ->> 'key'
          from jsonb_array_elements(evidence.evidence) as item)) as affected
    from json_to_recordset(${JSON.stringify(pairs)}::json) as wanted ("packageId" uuid, "vulnerabilityId" text)
    join firmware_version_packages as fact on fact.workspace_id = ${workspaceId}
      and fact.firmware_version_id = ${firmwareVersionId} and fact.package_id = wanted."packageId" and fact.until is null
    join package_matches as match on match.package_id = wanted."packageId"
      and match.vulnerability_id = wanted."vulnerabilityId" and match.until is null
    join package_match_evidence as evidence
      on evidence.package_id = wanted."packageId" and evidence.vulnerability_id = wanted."vulnerabilityId"`.execute(
    db,
  )
  return rows
}

export interface LaterVersion {
  id: string
  name: string
  /** Those of the given vulnerabilities that it has. */
  vulnerabilityIds: string[]
}

/** The newest versions of the same firmware and release line that are later than this one and were read, oldest first. */
export async function listLaterVersions(
  db: Db,
  {
    workspaceId,
    firmwareVersionId,
    vulnerabilityIds,
  }: { workspaceId: string; firmwareVersionId: string; vulnerabilityIds: readonly string[] },
  limit: number,
): Promise<LaterVersion[]> {
  const { rows } = await sql<LaterVersion>`
    with later as materialized (
      select version.id, version.name, version.created_at
      from firmware_versions as this
      join firmware_versions as version on version.workspace_id = ${workspaceId}
        and version.firmware_id = this.firmware_id and version.line_id is not distinct from this.line_id
        and (version.created_at, version.id) > (this.created_at, this.id)
      where this.workspace_id = ${workspaceId} and this.id = ${firmwareVersionId} and exists (
        select from sboms where workspace_id = ${workspaceId} and firmware_version_id = version.id
          and parsing_state = 'Succeeded' and vulnerabilities_parsed_at is not null)
      order by version.created_at desc, version.id desc limit ${limit}
    ), matched as materialized (
      select package_id, vulnerability_id from package_matches
      where vulnerability_id = any(${vulnerabilityIds}::text[]) and until is null
    )
    select later.id, later.name, array(
      select distinct matched.vulnerability_id
      from matched
      join firmware_version_packages as fact on fact.workspace_id = ${workspaceId}
        and fact.firmware_version_id = later.id and fact.package_id = matched.package_id and fact.until is null
    ) as vulnerability_ids
    from later order by later.created_at, later.id`.execute(db)
  return rows
}
