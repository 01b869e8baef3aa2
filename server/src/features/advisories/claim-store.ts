/**
 * Who fetches a source: of any number of workers one at a time. Times are the database's own, as those of the nodes
 * differ. A claim that is not renewed runs out, so that a process that died holds nothing up.
 */
import { sql } from 'kysely'
import type { FeedSource } from '../../formats/feed-files.ts'
import type { Db } from '../../platform/db/connect.ts'
import type { SyncPhase, SyncProgress } from './sync-progress.ts'

const CLAIM = sql`now() + interval '90 seconds'`

export interface Claim {
  source: FeedSource
  /** Of whoever claims. */
  by: string
}

/** False while another has it, or (unless it is by hand) before it is due. */
export async function claimSource(
  db: Db,
  { source, by }: Claim,
  { at, isByHand }: { at: Date; isByHand: boolean },
): Promise<boolean> {
  await sql`insert into vulnerability_sources (source) values (${source}) on conflict do nothing`.execute(
    db,
  )
  const { numAffectedRows } = await sql`
    update vulnerability_sources
    set claimed_by = ${by}, claimed_until = ${CLAIM}, last_attempt_at = ${at}, phase = 'Fetching', progress = null
    where source = ${source} and (claimed_until > now()) is not true
      and (${isByHand} or (next_sync_at > now()) is not true)`.execute(db)
  return numAffectedRows === 1n
}

/** False when it was lost: another holds it now. */
export async function renewClaim(
  db: Db,
  { source, by }: Claim,
  { phase, progress }: { phase: SyncPhase; progress: SyncProgress },
): Promise<boolean> {
  const { numAffectedRows } = await sql`
    update vulnerability_sources
    set claimed_until = ${CLAIM}, phase = ${phase}, progress = ${JSON.stringify(progress)}::jsonb
    where source = ${source} and claimed_by = ${by}`.execute(db)
  return numAffectedRows === 1n
}

export interface Release {
  /** Undefined when it ended before its time: it is due at once. */
  nextInMs: number | undefined
  progress: SyncProgress
}

/** All of it is taken in. */
export async function releaseAfterSuccess(
  db: Db,
  { source, by }: Claim,
  { nextInMs, progress, at, notice }: Release & { at: Date; notice: string | undefined },
): Promise<void> {
  await sql`
    update vulnerability_sources
    set claimed_by = null, claimed_until = null, phase = 'Idle', progress = ${JSON.stringify(progress)}::jsonb,
      last_success_at = ${at}, last_error = null, notice = ${notice ?? null}, failures = 0,
      next_sync_at = now() + ${nextInMs ?? 0}::float8 * interval '1 millisecond'
    where source = ${source} and claimed_by = ${by}`.execute(db)
}

/** Tried again ever later, but never later than it would have been without the failure. */
export async function releaseAfterFailure(
  db: Db,
  { source, by }: Claim,
  { nextInMs, progress, error }: Release & { error: string },
): Promise<void> {
  await sql`
    update vulnerability_sources
    set claimed_by = null, claimed_until = null, phase = 'Idle', progress = ${JSON.stringify(progress)}::jsonb,
      last_error = ${error}, failures = least(failures, 30) + 1,
      next_sync_at = now() + least(${nextInMs ?? 0}::float8, 300000 * 2 ^ least(failures, 30)) * interval '1 millisecond'
    where source = ${source} and claimed_by = ${by}`.execute(db)
}

/** Stopped from outside, not failed. */
export async function releaseUnfinished(db: Db, { source, by }: Claim): Promise<void> {
  await sql`
    update vulnerability_sources set claimed_by = null, claimed_until = null, phase = 'Idle', next_sync_at = now()
    where source = ${source} and claimed_by = ${by}`.execute(db)
}
