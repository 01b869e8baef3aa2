/** The findings that ids lead to now. */
import { type RawBuilder, sql } from 'kysely'
import type { FindingKey } from '../../formats/finding-id.ts'
import type { Db, Tx } from '../../platform/db/connect.ts'
import { lockPackages } from '../../platform/db/package-locks.ts'

const writeColumns = (keys: readonly FindingKey[]) => sql`
  ${keys.map((_, index) => index)}::int[], ${keys.map((key) => key.firmwareVersionId)}::uuid[],
  ${keys.map((key) => key.packageId)}::uuid[], ${keys.map((key) => key.vulnerabilityId)}::text[]`

/**
 * Common table expressions for `with recursive`; the last is `wanted (place, firmware_version_id, package_id,
 * vulnerability_id, is_named)`. A former id of a vulnerability leads to its current id, and a package that the version
 * identifies differently now leads to its successors.
 */
export const wantedFindings = (workspaceId: string, keys: readonly FindingKey[]) => sql`
  named (place, firmware_version_id, package_id, vulnerability_id) as (
    select * from unnest(${writeColumns(keys)})
  ), package (place, firmware_version_id, id) as (
    select place, firmware_version_id, package_id from named
    union
    select package.place, package.firmware_version_id, successor.successor_id
    from package
    join firmware_version_package_successors as successor on successor.workspace_id = ${workspaceId}
      and successor.firmware_version_id = package.firmware_version_id and successor.package_id = package.id
  ), wanted as (
    select package.place, package.firmware_version_id, package.id as package_id, known.id as vulnerability_id,
      (package.id, known.id) = (named.package_id, named.vulnerability_id) as is_named
    from package
    join named using (place)
    cross join lateral (
      select vulnerability_id as id from vulnerability_aliases where alias = named.vulnerability_id
      union select named.vulnerability_id
    ) as known
  )`

/** The times in which both package and match held, for the findings in `wanted`. */
export const spansOfWanted = (workspaceId: string) => sql`
  select wanted.*, greatest(held.since, seen.since) as since,
    least(coalesce(held.until, 'infinity'), coalesce(seen.until, 'infinity')) as until,
    case when held.since > seen.since then held.cause else seen.cause end as cause,
    case when coalesce(held.until, 'infinity') <= coalesce(seen.until, 'infinity')
      then held.ended_cause else seen.ended_cause end as ended_cause,
    held.since as held_since, seen.since as seen_since
  from wanted
  join firmware_version_packages as held on held.workspace_id = ${workspaceId}
    and held.firmware_version_id = wanted.firmware_version_id and held.package_id = wanted.package_id
  join package_matches as seen
    on seen.package_id = wanted.package_id and seen.vulnerability_id = wanted.vulnerability_id
  where greatest(held.since, seen.since)
    < least(coalesce(held.until, 'infinity'), coalesce(seen.until, 'infinity'))`

/** The latest time of each place in `span`; one that still holds first, then the finding that was named. */
export const latestSpans: RawBuilder<unknown> = sql`
  select distinct on (place) * from span
  order by place, until desc, is_named desc, since desc, vulnerability_id, package_id`

/**
 * In the order of the keys; undefined: the key leads to no finding that ever existed. Locks the packages of all that the keys may
 * lead to; firmware versions are locked before.
 */
export async function findFindingKeys(
  tx: Tx,
  workspaceId: string,
  keys: readonly FindingKey[],
  { isLocking }: { isLocking: boolean },
): Promise<(FindingKey | undefined)[]> {
  if (isLocking)
    await lockPackages(tx, await listPossiblePackageIds(tx, workspaceId, keys), 'shared')
  const { rows } = await sql<FindingKey & { place: number }>`
    with recursive ${wantedFindings(workspaceId, keys)}, span as (${spansOfWanted(workspaceId)})
    select place, firmware_version_id, package_id, vulnerability_id from (${latestSpans}) as latest`.execute(
    tx,
  )
  const found = new Map(rows.map(({ place, ...key }) => [place, key]))
  return keys.map((_, index) => found.get(index))
}

/** All packages that the ids may lead to, whether they match or not. */
async function listPossiblePackageIds(
  db: Db,
  workspaceId: string,
  keys: readonly FindingKey[],
): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    with recursive ${wantedFindings(workspaceId, keys)} select distinct id from package order by id`.execute(
    db,
  )
  return rows.map(({ id }) => id)
}
