/** Until when components get fixes: what the workspace states of their packages, else what the source says. */
import { type RawBuilder, sql } from 'kysely'
import type { SupportState } from '../../../formats/support/states.ts'
import { joinAll, joinAny } from '../../../platform/db/conditions.ts'
import type { Db } from '../../../platform/db/connect.ts'

export interface SupportFilter {
  states: readonly SupportState[] | undefined
  /** What has ended on a day that nobody knows ends before every day. */
  endsBefore: string | undefined
  day: string
}

/** Packages of which something is said, each once; the newest of several statements counts. */
const selectKnown = (workspaceId: string, owned: RawBuilder<unknown>) => sql`
  select owned.package_id, coalesce(stated.label, concat_ws(' ', product.label, support.cycle)) as label,
    case when stated.package_id is null then cycle.ends_on else stated.ends_on end as ends_on,
    case when stated.package_id is null then cycle.has_ended when stated.ends_on is null then false end as has_ended
  from (${owned}) as owned
  left join package_support as support on support.package_id = owned.package_id
  left join support_products as product on product.name = support.product
  left join support_cycles as cycle on cycle.product = support.product and cycle.cycle = support.cycle
  left join (
    select distinct on (chosen.package_id) chosen.package_id, coalesce(statement.name, statement.purl) as label,
      statement.ends_on
    from support_statement_packages as chosen
    join support_statements as statement
      on statement.workspace_id = chosen.workspace_id and statement.id = chosen.statement_id
    where chosen.workspace_id = ${workspaceId}
    order by chosen.package_id, statement.created_at desc, statement.id
  ) as stated on stated.package_id = owned.package_id
  where stated.package_id is not null or support.package_id is not null`

const meets = (state: Exclude<SupportState, 'NotKnown'>, day: string) =>
  ({
    Ended: sql`(known.ends_on <= ${day}::date or (known.ends_on is null and known.has_ended))`,
    Ending: sql`known.ends_on > ${day}::date`,
    NoEndPlanned: sql`(known.ends_on is null and not known.has_ended)`,
  })[state]

/** Packages of the workspace that meet the filter; null: those of which nothing is known meet it, so that most do. */
export function selectSupported(
  workspaceId: string,
  { states, endsBefore, day }: SupportFilter,
): RawBuilder<unknown> | null {
  if (states?.includes('NotKnown') && endsBefore === undefined) return null
  return selectMeeting(workspaceId, [
    states && joinAny(states.flatMap((one) => (one === 'NotKnown' ? [] : [meets(one, day)]))),
    endsBefore !== undefined &&
      sql`(known.ends_on < ${endsBefore}::date or (known.ends_on is null and known.has_ended))`,
  ])
}

/** Of a list that has components of which nothing is known: the packages that do not meet it. */
export const selectOtherwiseKnown = (workspaceId: string, { states, day }: SupportFilter) =>
  selectMeeting(workspaceId, [
    joinAny(
      (['Ended', 'Ending', 'NoEndPlanned'] as const)
        .filter((one) => states?.includes(one) !== true)
        .map((one) => meets(one, day)),
    ),
  ])

const selectMeeting = (
  workspaceId: string,
  conditions: readonly (RawBuilder<unknown> | false | undefined)[],
) => sql`
  select known.package_id from (${selectKnown(
    workspaceId,
    sql`select package_id from workspace_packages where workspace_id = ${workspaceId}`,
  )}) as known
  where ${joinAll(conditions)}`

export interface KnownEnd {
  packageId: string
  /** The product and its release cycle, or what a statement chooses components by. */
  label: string
  endsOn: string | null
  hasEnded: boolean | null
}

/** Of the packages of which something is said. */
export async function listKnownEnds(
  db: Db,
  { workspaceId, packageIds }: { workspaceId: string; packageIds: readonly string[] },
): Promise<KnownEnd[]> {
  const { rows } = await sql<KnownEnd>`
    select known.package_id, known.label, known.ends_on::text as ends_on, known.has_ended
    from (${selectKnown(workspaceId, sql`select unnest(${packageIds}::uuid[]) as package_id`)}) as known`.execute(
    db,
  )
  return rows
}

export interface CountedEnd {
  endsOn: string | null
  hasEnded: boolean | null
  componentCount: number
}

/** The components of a version as its SBOMs declare them, by the end of their support. */
export async function countEndsOfVersion(
  db: Db,
  { workspaceId, firmwareVersionId }: { workspaceId: string; firmwareVersionId: string },
): Promise<CountedEnd[]> {
  const { rows } = await sql<CountedEnd>`
    with member as materialized (
      select member.package_id, count(*) as components from sboms as sbom
      join sbom_components as member
        on member.workspace_id = sbom.workspace_id and member.sbom_id = sbom.id
      where sbom.workspace_id = ${workspaceId} and sbom.firmware_version_id = ${firmwareVersionId}
        and sbom.parsing_state = 'Succeeded'
      group by member.package_id
    )
    select known.ends_on::text as ends_on, known.has_ended, sum(member.components)::int as component_count
    from member
    left join (${selectKnown(
      workspaceId,
      sql`select package_id from member where package_id is not null`,
    )}) as known on known.package_id = member.package_id
    group by known.ends_on, known.has_ended`.execute(db)
  return rows
}
