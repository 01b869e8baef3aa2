/** Who watches which vulnerability. An id that was handed out before vulnerabilities were united leads to them still. */
import { type RawBuilder, sql } from 'kysely'
import type { Db, Tx } from '../../platform/db/connect.ts'
import type { KnownState } from './known-state.ts'

/** As stored, or any id that the vulnerability has had. */
const isMeant = (vulnerabilityId: string): RawBuilder<boolean> => sql<boolean>`(
  watch.vulnerability_id = ${vulnerabilityId} or watch.vulnerability_id in (
    select alias from vulnerability_aliases where vulnerability_id = ${vulnerabilityId}))`

interface OfPerson {
  workspaceId: string
  /** undefined: a key without a person, who watches nothing. */
  personId: string | undefined
}

export async function readWatch(
  db: Db,
  { workspaceId, personId, vulnerabilityId }: OfPerson & { vulnerabilityId: string },
) {
  const { rows } = await sql<{ watcherCount: number; watchedAt: Date | null; toldAt: Date | null }>`
    select count(distinct watch.person_id)::int as watcher_count,
      min(watch.watched_at) filter (where watch.person_id = ${personId}::uuid) as watched_at,
      max(watch.told_at) filter (where watch.person_id = ${personId}::uuid) as told_at
    from vulnerability_watches as watch
    where watch.workspace_id = ${workspaceId} and ${isMeant(vulnerabilityId)}`.execute(db)
  const [found] = rows
  if (!found) throw new Error('An aggregate answers one row.')
  return found
}

export interface WatchRow {
  cveId: string
  watchedAt: Date
  toldAt: Date | null
}

/** By what each is known by now, the newest first. */
export async function listWatches(
  db: Db,
  { workspaceId, personId }: OfPerson,
): Promise<WatchRow[]> {
  const { rows } = await sql<WatchRow>`
    select coalesce(alias.vulnerability_id, watch.vulnerability_id) as cve_id, watch.watched_at, watch.told_at
    from vulnerability_watches as watch
    left join vulnerability_aliases as alias on alias.alias = watch.vulnerability_id
    where watch.workspace_id = ${workspaceId} and watch.person_id = ${personId}::uuid
    order by watch.watched_at desc, cve_id`.execute(db)
  return rows
}

/** What one person watches changes one at a time, so that the limit holds. */
export async function lockWatches(tx: Tx, { workspaceId, personId }: OfPerson): Promise<void> {
  await sql`
    select from members where workspace_id = ${workspaceId} and subject_id = ${personId}::uuid
    for update`.execute(tx)
}

interface NewWatch {
  workspaceId: string
  personId: string
  vulnerabilityId: string
  at: Date
  known: KnownState
}

export async function insertWatch(tx: Tx, { at, known, ...key }: NewWatch): Promise<void> {
  await tx
    .insertInto('vulnerabilityWatches')
    .values({ ...key, watchedAt: at, lookedAt: at, known: JSON.stringify(known) })
    .execute()
}

export async function deleteWatch(
  tx: Tx,
  { workspaceId, personId, vulnerabilityId }: OfPerson & { vulnerabilityId: string },
): Promise<void> {
  await sql`
    delete from vulnerability_watches as watch
    where watch.workspace_id = ${workspaceId} and watch.person_id = ${personId}::uuid and ${isMeant(vulnerabilityId)}`.execute(
    tx,
  )
}

export interface Watcher {
  workspaceId: string
  personId: string
}

/** Those whose vulnerabilities were compared longest ago. */
export async function listDueWatchers(
  db: Db,
  { before, limit }: { before: Date; limit: number },
): Promise<Watcher[]> {
  const { rows } = await sql<Watcher>`
    select workspace_id, person_id from vulnerability_watches
    where looked_at <= ${before}
    group by workspace_id, person_id order by min(looked_at) limit ${limit}`.execute(db)
  return rows
}

export interface ClaimedWatch {
  vulnerabilityId: string
  email: string
  known: KnownState
}

/** What nobody else compares now. */
export async function claimWatches(
  db: Db,
  { workspaceId, personId }: Watcher,
  { before, now }: { before: Date; now: Date },
): Promise<ClaimedWatch[]> {
  const { rows } = await sql<ClaimedWatch>`
    update vulnerability_watches as watch set looked_at = ${now}
    from people as person
    where watch.workspace_id = ${workspaceId} and watch.person_id = ${personId} and watch.looked_at <= ${before}
      and person.id = watch.person_id
    returning watch.vulnerability_id, person.email, watch.known`.execute(db)
  return rows
}

/** One that is watched no more stays away. */
export async function recordTold(
  db: Db,
  { workspaceId, personId }: Watcher,
  told: { toldAt: Date | null; known: ReadonlyMap<string, KnownState> },
): Promise<void> {
  const rows = [...told.known].map(([id, known]) => ({ id, known }))
  await sql`
    update vulnerability_watches as watch
    set known = told.known, told_at = coalesce(${told.toldAt}::timestamptz, watch.told_at)
    from json_to_recordset(${JSON.stringify(rows)}::json) as told (id text, known jsonb)
    where watch.workspace_id = ${workspaceId} and watch.person_id = ${personId} and watch.vulnerability_id = told.id`.execute(
    db,
  )
}
