/** Decisions that the source files of a firmware version contradict. */
import { sql } from 'kysely'
import { decideOriginSql } from '../../formats/assessments.ts'
import type { Tx } from '../../platform/db/connect.ts'
import { listCompiledFindings } from '../findings/index.ts'

interface ContradictedVersion {
  workspaceId: string
  firmwareVersionId: string
  reason: string
  at: Date
  /** When the last list of source files was deleted. */
  deletedAt: string | null
}

/**
 * Marks decisions that say the vulnerable code is not present although it is compiled: they stay in force, and a person
 * should check them. Decisions of persons after the newest list, or after its deletion, stay unmarked. The timeline gets
 * an entry too, as lists of past instants read only that.
 */
export async function markContradicted(tx: Tx, version: ContradictedVersion): Promise<void> {
  const { workspaceId, firmwareVersionId, reason, at } = version
  const found = await listCompiledFindings(tx, version, await listAbsentSaid(tx, version))
  if (found.length === 0) return
  const marked = sql`workspace_id = ${workspaceId} and firmware_version_id = ${firmwareVersionId}
    and (package_id, vulnerability_id) in (
      select * from unnest(${found.map(({ packageId }) => packageId)}::uuid[],
        ${found.map(({ vulnerabilityId }) => vulnerabilityId)}::text[]))`
  await sql`
    update finding_decisions set recheck_reason = ${reason}, updated_at = ${at} where ${marked}`.execute(
    tx,
  )
  await sql`
    insert into finding_timeline (workspace_id, firmware_version_id, package_id, vulnerability_id, id, type, created_at,
      source, created_by_email, assessment, ignored, justification, responses, detail, recheck_reason, statement_id,
      origin, stated_in, acceptance, line_id)
    select workspace_id, firmware_version_id, package_id, vulnerability_id, gen_random_uuid(), 'Assessment',
      ${at}::timestamptz, 'System', null, assessment, ignored, justification, responses, detail, recheck_reason,
      statement_id, ${sql.raw(decideOriginSql('finding_decisions'))}, stated_in, acceptance,
      assessed_line_id
    from finding_decisions where ${marked}
    order by package_id, vulnerability_id`.execute(tx)
}

/** Findings without a mark of which a decision says that the vulnerable code is not present. */
async function listAbsentSaid(tx: Tx, version: ContradictedVersion) {
  const { workspaceId, firmwareVersionId, deletedAt } = version
  const { rows } = await sql<{ packageId: string; vulnerabilityId: string }>`
    select package_id, vulnerability_id from finding_decisions
    where workspace_id = ${workspaceId} and firmware_version_id = ${firmwareVersionId}
      and assessment = 'NotAffected' and recheck_reason is null
      and justification in ('vulnerable_code_not_present', 'code_not_present')
      and (source not in ('User', 'ApiKey') or assessed_at <= (
        select greatest(max(list.created_at), ${deletedAt}::timestamptz)
        from sboms as sbom
        join source_file_lists as list on list.workspace_id = sbom.workspace_id and list.sbom_id = sbom.id
        where sbom.workspace_id = ${workspaceId} and sbom.firmware_version_id = ${firmwareVersionId}))`.execute(
    tx,
  )
  return rows
}
