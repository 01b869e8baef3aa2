/** Versions that people name in a case, and deployments of those that have the vulnerability no more. */
import { sql } from 'kysely'
import type { Db } from '../../platform/db/connect.ts'
import type { NewVersion } from './store.ts'

/** In `case_versions`: no component is known, as somebody named the version itself. */
const NO_PACKAGE = '00000000-0000-0000-0000-000000000000'

interface NamedVersion extends NewVersion {
  /** The case has it, with or without a component. */
  isKnown: boolean
}

export async function listNamedVersions(
  db: Db,
  workspaceId: string,
  { caseId, firmwareVersionIds }: { caseId: string; firmwareVersionIds: readonly string[] },
): Promise<NamedVersion[]> {
  const { rows } = await sql<NamedVersion>`
    select version.id as firmware_version_id, ${NO_PACKAGE}::uuid as package_id, version.firmware_id,
      firmware.name as firmware_name, version.name as version_name, '' as component_name, null as component_version,
      exists (select from case_versions as known where known.workspace_id = ${workspaceId} and known.case_id = ${caseId}
        and known.firmware_version_id = version.id) as is_known
    from firmware_versions as version
    join firmwares as firmware on firmware.workspace_id = ${workspaceId} and firmware.id = version.firmware_id
    where version.workspace_id = ${workspaceId} and version.id = any(${firmwareVersionIds}::uuid[])
    order by firmware.name, version.created_at, version.id`.execute(db)
  return rows
}

export interface FixDeployment {
  name: string
  cohort: string
  firmware: string
  version: string
  startedAt: Date
  endedAt: Date | null
  state: string
  succeeded: number
  failed: number
  /** Devices that are to get it. */
  total: number
}

/** Deployments of versions of the same firmware that have the vulnerability no more, the first one first. */
export async function listFixDeployments(
  db: Db,
  {
    workspaceId,
    caseId,
    vulnerabilityId,
  }: { workspaceId: string; caseId: string; vulnerabilityId: string },
  limit: number,
): Promise<FixDeployment[]> {
  const { rows } = await sql<FixDeployment>`
    select deployment.name, cohort.name as cohort, firmware.name as firmware, version.name as version,
      coalesce(deployment.starts_at, deployment.created_at) as started_at, deployment.ended_at, deployment.state,
      deployment.succeeded, deployment.failed, deployment.pending + deployment.in_progress + deployment.succeeded
        + deployment.failed + deployment.cancelled as total
    from deployments as deployment
    join deployment_cohorts as cohort on cohort.workspace_id = ${workspaceId} and cohort.id = deployment.cohort_id
    join deployment_artifacts as artifact
      on artifact.workspace_id = deployment.workspace_id and artifact.deployment_id = deployment.id
    join firmware_versions as version on version.workspace_id = artifact.workspace_id and version.id = artifact.firmware_version_id
    join firmwares as firmware on firmware.workspace_id = version.workspace_id and firmware.id = version.firmware_id
    where deployment.workspace_id = ${workspaceId}
      and version.firmware_id in (select firmware_id from case_versions where workspace_id = ${workspaceId} and case_id = ${caseId})
      and version.id not in (select firmware_version_id from case_versions where workspace_id = ${workspaceId} and case_id = ${caseId})
      and exists (select from firmware_version_packages as held where held.workspace_id = ${workspaceId}
        and held.firmware_version_id = version.id and held.until is null)
      and not exists (select from firmware_version_packages as held
        join package_matches as match on match.package_id = held.package_id and match.until is null
        where held.workspace_id = ${workspaceId} and held.firmware_version_id = version.id and held.until is null
          and match.vulnerability_id = ${vulnerabilityId})
      and version.created_at > (
        select min(affected.created_at) from firmware_versions as affected
        join case_versions as named on named.workspace_id = affected.workspace_id and named.firmware_version_id = affected.id
        where affected.workspace_id = ${workspaceId} and named.case_id = ${caseId} and affected.firmware_id = version.firmware_id)
    order by started_at, version.id limit ${limit}`.execute(db)
  return rows
}
