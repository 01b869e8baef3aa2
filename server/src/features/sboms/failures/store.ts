/** SBOMs that could not be read or matched so far. */
import { sql } from 'kysely'
import { announce } from '../../../platform/db/announcements.ts'
import type { Db } from '../../../platform/db/connect.ts'
import type { SbomFailure } from '../store.ts'

/** An SBOM, or those of a firmware version. */
export interface FailingSboms {
  workspaceId: string
  sbomId?: string
  firmwareVersionId?: string
}

const meantBy = ({ workspaceId, sbomId, firmwareVersionId }: FailingSboms) => sql`
  workspace_id = ${workspaceId} and ${
    sbomId === undefined ? sql`firmware_version_id = ${firmwareVersionId}` : sql`id = ${sbomId}`
  } and (parsing_state = 'InProgress' or (parsing_state = 'Succeeded' and vulnerabilities_parsed_at is null))`

/** Keeps the failure of the latest attempt. An attempt that is told again tells nothing new. */
export async function updateSbomFailure(
  db: Db,
  sboms: FailingSboms,
  { attempts, reason, failedAt }: Pick<SbomFailure, 'attempts' | 'reason'> & { failedAt: Date },
): Promise<void> {
  await sql`
    update sboms set failure = json_build_object('attempts', ${attempts}::int, 'isGivenUp', false, 'reason', ${reason}::text,
      'failedAt', ${failedAt.toISOString()}::text)::jsonb
    where ${meantBy(sboms)} and coalesce((failure ->> 'attempts')::int, 0) < ${attempts}`.execute(
    db,
  )
  await announce(db, sboms.workspaceId, ['sboms', 'firmware'])
}

export async function updateSbomAsGivenUp(db: Db, sboms: FailingSboms): Promise<void> {
  await sql`
    update sboms set failure = failure || '{"isGivenUp": true}' where ${meantBy(sboms)}`.execute(db)
  await announce(db, sboms.workspaceId, ['sboms', 'firmware'])
}

/** SBOMs of a workspace that the service has given up. */
export async function listGivenUp(db: Db, workspaceId: string) {
  const { rows } = await sql<{ id: string; fileName: string } & SbomFailure>`
    select id, file_name, (failure ->> 'attempts')::int as attempts, true as is_given_up, failure ->> 'reason' as reason,
      failure ->> 'failedAt' as failed_at
    from sboms
    where workspace_id = ${workspaceId} and failure is not null and (failure ->> 'isGivenUp')::boolean
    order by id`.execute(db)
  return rows
}

/** Counts in all workspaces how many SBOMs fail and are tried again, and how many were given up. */
export async function countFailing(db: Db): Promise<{ failing: number; givenUp: number }> {
  const { rows } = await sql<{ failing: number; givenUp: number }>`
    select (count(*) filter (where not (failure ->> 'isGivenUp')::boolean))::int as failing,
      (count(*) filter (where (failure ->> 'isGivenUp')::boolean))::int as given_up
    from sboms where failure is not null`.execute(db)
  return rows[0] ?? { failing: 0, givenUp: 0 }
}

/** SBOMs of all workspaces that were read before that time, and whose packages are still not matched. */
export async function listUnmatchedSboms(db: Db, readBefore: Date) {
  const { rows } = await sql<{ workspaceId: string; sbomId: string }>`
    select workspace_id, id as sbom_id from sboms
    where parsing_state = 'Succeeded' and vulnerabilities_parsed_at is null and parsed_at < ${readBefore}
    order by workspace_id, id`.execute(db)
  return rows
}
