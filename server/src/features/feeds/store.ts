/**
 * Who fetches a source: of any number of workers one at a time. Times are the database's own, as those of the nodes
 * differ. A claim that is not renewed runs out, so that a process that died holds nothing up.
 */
import { sql } from 'kysely'
import { ADVISORY_PARSER_VERSION } from '../../formats/advisories/model.ts'
import type { FeedSource } from '../../formats/feed-files.ts'
import type { Db } from '../../platform/db/connect.ts'
import type { PartMarks } from '../advisories/index.ts'

/** What a sync is at, kept in the database so that everybody sees it. */
export type SyncPhase = 'Idle' | 'Fetching' | 'Importing'

export interface SyncProgress {
  /** The part it is at, and how many are done of those known. */
  part?: string
  partsDone: number
  partsTotal?: number
  /** Of the file being fetched. */
  bytes?: number
  bytesTotal?: number
  /** Of the part being imported. */
  records?: number
}

/** Every source that was ever tried, with how current it is. */
export async function listSources(db: Db) {
  return db
    .selectFrom('vulnerabilitySources')
    .select(['source', 'lastAttemptAt', 'lastSuccessAt', 'lastError', 'snapshotAt'])
    .select(['recordCount', 'skippedCount', 'notice', 'nextSyncAt'])
    .select('phase')
    .select(sql<SyncProgress | null>`progress`.as('progress'))
    .select(sql<Record<string, number>>`skipped_reasons`.as('skippedReasons'))
    .select(sql<boolean>`coalesce(claimed_until > now(), false)`.as('isClaimed'))
    .orderBy('source')
    .$narrowType<{ source: FeedSource; phase: SyncPhase }>()
    .execute()
}

export async function listAllParts(db: Db) {
  return db
    .selectFrom('vulnerabilitySourceParts')
    .select(['source', 'part', 'completedAt', 'checkedAt', 'recordCount', 'skippedCount'])
    .select(['lastError', 'notice'])
    .orderBy('source')
    .orderBy('part')
    .execute()
}

export interface PartState extends PartMarks {
  part: string
  completedAt: Date | undefined
  snapshotReadAt: Date | undefined
  recordCount: number
}

/** Parts that an older parser has read count as never read, but for how many records they are known to have. */
export async function listParts(db: Db, source: FeedSource): Promise<PartState[]> {
  const rows = await db
    .selectFrom('vulnerabilitySourceParts')
    .select(['part', 'completedAt', 'snapshotReadAt', 'etag', 'lastModified', 'position'])
    .select(['recordCount', 'parserVersion'])
    .where('source', '=', source)
    .orderBy('part')
    .execute()
  return rows.map(({ parserVersion, ...row }) => {
    const isCurrent = parserVersion === null || parserVersion >= ADVISORY_PARSER_VERSION
    const known = <Value>(value: Value | null) => (isCurrent ? (value ?? undefined) : undefined)
    return {
      part: row.part,
      completedAt: known(row.completedAt),
      snapshotReadAt: known(row.snapshotReadAt),
      etag: known(row.etag),
      lastModified: known(row.lastModified),
      position: known(row.position),
      recordCount: row.recordCount,
    }
  })
}

/** Nothing new: what is known of it is current. */
export async function recordPartChecked(
  db: Db,
  { source, name, at, notice }: { source: FeedSource; name: string; at: Date; notice?: string },
): Promise<void> {
  await sql`
    insert into vulnerability_source_parts (source, part, checked_at, notice)
    values (${source}, ${name}, ${at}, ${notice ?? null})
    on conflict (source, part) do update
      set checked_at = excluded.checked_at, last_error = null, notice = excluded.notice`.execute(db)
}

export async function recordPartFailure(
  db: Db,
  { source, name, at, error }: { source: FeedSource; name: string; at: Date; error: string },
): Promise<void> {
  await sql`
    insert into vulnerability_source_parts (source, part, checked_at, last_error)
    values (${source}, ${name}, ${at}, ${error})
    on conflict (source, part) do update
      set checked_at = excluded.checked_at, last_error = excluded.last_error`.execute(db)
}

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
