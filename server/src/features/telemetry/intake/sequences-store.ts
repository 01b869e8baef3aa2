import { sql } from 'kysely'
import type { Tx } from '../../../platform/db/connect.ts'

export interface Run {
  deviceId: string
  runId: string
}

/** Id of the series or `logs` → packed ranges. */
type SeenSequences = Record<string, number[]>

export type RunSequences = Run & { seen: SeenSequences }

/** Locks the runs in the order of their keys. */
export async function lockRuns(
  tx: Tx,
  workspaceId: string,
  runs: readonly Run[],
): Promise<RunSequences[]> {
  const { rows } = await sql<RunSequences>`
    select run.device_id, run.run_id, run.seen
    from device_run_sequences as run
    where run.workspace_id = ${workspaceId} and (run.device_id, run.run_id) in (
      select * from unnest(
        ${runs.map(({ deviceId }) => deviceId)}::text[], ${runs.map(({ runId }) => runId)}::text[]))
    order by run.device_id, run.run_id
    for no key update of run`.execute(tx)
  return rows
}

/**
 * Inserts the runs that are missing, in the order of their keys. A transaction that holds locks of runs must not call it:
 * it waits for others that insert the same runs.
 */
export async function insertMissingRuns(
  tx: Tx,
  { workspaceId, updatedAt }: { workspaceId: string; updatedAt: Date },
  runs: readonly Run[],
): Promise<void> {
  await sql`
    insert into device_run_sequences (workspace_id, device_id, run_id, seen, updated_at)
    select ${workspaceId}, given.device_id, given.run_id, '{}', ${updatedAt}
    from unnest(
      ${runs.map(({ deviceId }) => deviceId)}::text[], ${runs.map(({ runId }) => runId)}::text[]
    ) as given (device_id, run_id)
    where not exists (
      select from device_run_sequences as run
      where run.workspace_id = ${workspaceId} and run.device_id = given.device_id and run.run_id = given.run_id)
    order by given.device_id collate "C", given.run_id collate "C"
    on conflict (workspace_id, device_id, run_id) do nothing`.execute(tx)
}

export async function updateRuns(
  tx: Tx,
  { workspaceId, updatedAt }: { workspaceId: string; updatedAt: Date },
  runs: readonly RunSequences[],
): Promise<void> {
  await sql`
    update device_run_sequences as run set seen = given.seen::json, updated_at = ${updatedAt}
    from unnest(
      ${runs.map(({ deviceId }) => deviceId)}::text[], ${runs.map(({ runId }) => runId)}::text[],
      ${runs.map(({ seen }) => JSON.stringify(seen))}::text[]) as given (device_id, run_id, seen)
    where run.workspace_id = ${workspaceId} and run.device_id = given.device_id
      and run.run_id = given.run_id`.execute(tx)
}
