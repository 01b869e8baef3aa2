/** What the release gate of a workspace asks beside findings, and of which versions. */
import { sql } from 'kysely'
import { isActiveSql } from '../../formats/assessments.ts'
import type { GateSupportRule } from '../../formats/gate-rules.ts'
import type { Db } from '../../platform/db/connect.ts'

export interface AskedRules {
  forbidsExploited: boolean
  asksUrgency: boolean
  asksLicences: boolean
  asksSupport: boolean
}

/** undefined: there is no such workspace. */
export async function findAskedRules(db: Db, workspaceId: string): Promise<AskedRules | undefined> {
  const { rows } = await sql<AskedRules>`
    select workspace.gate_forbids_exploited_acceptances as forbids_exploited,
      coalesce((select gate_from is not null from ssvc_settings where workspace_id = ${workspaceId}
        order by revision desc limit 1), false) as asks_urgency,
      exists (select from licence_rules where workspace_id = ${workspaceId}) as asks_licences,
      workspace.gate_support <> 'NotAsked' or exists (
        select from firmware_lines where workspace_id = ${workspaceId} and gate_support <> 'NotAsked') as asks_support
    from workspaces as workspace where workspace.id = ${workspaceId}`.execute(db)
  return rows[0]
}

export interface RuledVersion {
  id: string
  supportRule: GateSupportRule
}

export async function listRuledVersions(
  db: Db,
  workspaceId: string,
  firmwareVersionIds: readonly string[] | undefined,
): Promise<RuledVersion[]> {
  const isMeant =
    firmwareVersionIds === undefined
      ? sql`true`
      : sql`version.id = any(${[...firmwareVersionIds]}::uuid[])`
  const { rows } = await sql<RuledVersion>`
    select version.id, coalesce(line.gate_support, workspace.gate_support)  as support_rule
    from firmware_versions as version
    join workspaces as workspace on workspace.id = ${workspaceId}
    left join firmware_lines as line on line.workspace_id = ${workspaceId} and line.id = version.line_id
    where version.workspace_id = ${workspaceId} and ${isMeant}`.execute(db)
  return rows
}

/** By version: findings that are exploited and ignored; versions without are left out. */
export async function countExploitedAcceptances(
  db: Db,
  { workspaceId, firmwareVersionIds }: { workspaceId: string; firmwareVersionIds: string[] },
): Promise<Map<string, number>> {
  const { rows } = await sql<{ id: string; count: number }>`
    select decision.firmware_version_id as id, count(*)::int as count
    from finding_decisions as decision
    join firmware_version_packages as fact on fact.workspace_id = ${workspaceId}
      and fact.firmware_version_id = decision.firmware_version_id and fact.package_id = decision.package_id
      and fact.until is null
    join package_matches as match on match.package_id = decision.package_id
      and match.vulnerability_id = decision.vulnerability_id and match.until is null and match.is_exploited
    where decision.workspace_id = ${workspaceId} and decision.firmware_version_id = any(${firmwareVersionIds}::uuid[])
      and decision.ignored and ${sql.raw(isActiveSql({ ignored: 'false' }))}
    group by 1`.execute(db)
  return new Map(rows.map(({ id, count }) => [id, count]))
}
