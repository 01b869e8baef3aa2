/** Findings as they were known and decided at a past instant: of a vulnerability, or of a firmware version. */
import { type RawBuilder, sql } from 'kysely'
import type { Db } from '../../../platform/db/connect.ts'

/** `is true` keeps PostgreSQL 18 from a worse plan: see the list of findings. */
const heldAt = (table: 'fact' | 'match', at: Date) =>
  sql`(${sql.ref(`${table}.since`)} <= ${at}
    and (${sql.ref(`${table}.until`)} is null or ${sql.ref(`${table}.until`)} > ${at})) is true`

/** What is asked of a past instant. */
export interface FindingsAt {
  workspaceId: string
  at: Date
  of: { firmwareVersionId: string } | { vulnerabilityId: string }
}

/** The newest entry of the timeline of `fact` and `match` that meets the condition: entries hold the resulting state. */
const findEntry = ({ workspaceId, at }: FindingsAt, condition: RawBuilder<unknown>) => sql`(
  select entry.* from finding_timeline as entry
  where entry.workspace_id = ${workspaceId} and entry.firmware_version_id = fact.firmware_version_id
    and entry.package_id = match.package_id and entry.vulnerability_id = match.vulnerability_id
    and entry.created_at <= ${at} and ${condition}
  order by entry.created_at desc, entry.id desc limit 1)`

/** `fact`, `match`, `decision` and `epss`. Entries that ignore do not repeat the reasons; an empty mark takes the mark away. */
export function selectFindingsAt(past: FindingsAt): RawBuilder<unknown> {
  const { workspaceId, at, of } = past
  const matches =
    'firmwareVersionId' in of
      ? sql`firmware_version_packages as fact
        cross join lateral (
          select match.* from package_matches as match
          where match.package_id = fact.package_id and ${heldAt('match', at)} offset 0
        ) as match`
      : sql`package_matches as match
        join firmware_version_packages as fact
          on fact.workspace_id = ${workspaceId} and fact.package_id = match.package_id`
  const isAsked =
    'firmwareVersionId' in of
      ? sql`fact.firmware_version_id = ${of.firmwareVersionId}`
      : sql`match.vulnerability_id = ${of.vulnerabilityId}`
  return sql`${matches}
  left join lateral (
    select newest.assessment, newest.ignored, newest.source, newest.created_by_email as decided_by_email,
      newest.created_at as updated_at, reason.justification, reason.responses, reason.detail,
      nullif(mark.recheck_reason, '') as recheck_reason
    from ${findEntry(past, sql`true`)} as newest
    left join lateral ${findEntry(past, sql`entry.type = 'Assessment'`)} as reason on true
    left join lateral ${findEntry(past, sql`(entry.type = 'Assessment' or entry.recheck_reason = '')`)} as mark on true
  ) as decision on true
  cross join (select null::real as score) as epss
  where fact.workspace_id = ${workspaceId} and ${isAsked} and ${heldAt('fact', at)} and ${heldAt('match', at)}`
}

export interface LookedAt {
  /** The packages that the firmware version, or all of the workspace, held then. */
  packageCount: number
  firmwareVersionCount: number
}

/** What could be compared then. */
export async function countLookedAt(
  db: Db,
  { workspaceId, at, of }: FindingsAt,
): Promise<LookedAt> {
  const isAsked = 'firmwareVersionId' in of ? sql`version.id = ${of.firmwareVersionId}` : sql`true`
  const { rows } = await sql<LookedAt>`
    select coalesce(sum(held.count), 0)::int as package_count,
      (count(*) filter (where held.count > 0))::int as firmware_version_count
    from firmware_versions as version
    cross join lateral (
      select count(*) from firmware_version_packages as fact
      where fact.workspace_id = ${workspaceId} and fact.firmware_version_id = version.id and ${heldAt('fact', at)}
    ) as held
    where version.workspace_id = ${workspaceId} and ${isAsked}`.execute(db)
  const [looked] = rows
  if (!looked) throw new Error('An aggregate answers one row.')
  return looked
}
