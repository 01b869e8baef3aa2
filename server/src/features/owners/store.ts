import { type RawBuilder, sql } from 'kysely'
import type { Db, Tx } from '../../platform/db/connect.ts'
import { joinAll, joinAny } from '../../platform/db/conditions.ts'
import type { Colleague } from '../discussions/index.ts'
import type { RuleConditions, StoredOwners, StoredRule } from './rules.ts'

/** So that two changes follow each other, also where there are no rules yet. */
export async function lockOwners(tx: Tx, workspaceId: string): Promise<void> {
  await sql`select pg_advisory_xact_lock(hashtextextended('owner-rules:' || ${workspaceId}, 0))`.execute(
    tx,
  )
}

export type TeamRow = StoredOwners['teams'][number] & { members: Colleague[] }
export interface RuleRow extends StoredRule {
  firmwares: { id: string; name: string | null }[]
  owner: { type: 'Member' | 'Team'; id: string; name: string }
  /** Nobody is left who could own what the rule gives. */
  isVacant: boolean
}

export async function listTeams(db: Db, workspaceId: string): Promise<TeamRow[]> {
  const { rows } = await sql<TeamRow>`
    select team.id, team.name,
      coalesce(json_agg(person.id order by person.email) filter (where person.id is not null), '[]') as member_ids,
      coalesce(json_agg(json_build_object('subjectId', person.id, 'email', person.email, 'displayName', person.display_name)
        order by person.email) filter (where person.id is not null), '[]') as members
    from owner_teams as team
    left join owner_team_members as belonging on belonging.workspace_id = ${workspaceId} and belonging.team_id = team.id
    left join people as person on person.id = belonging.person_id
    where team.workspace_id = ${workspaceId}
    group by team.id, team.name order by lower(team.name), team.id`.execute(db)
  return rows
}

/** In the order in which they are tried. */
export async function listRules(db: Db, workspaceId: string): Promise<RuleRow[]> {
  const { rows } = await sql<RuleRow>`
    select rule.id, rule.components, rule.purls, rule.files, rule.firmware_ids, rule.person_id, rule.team_id, rule.person_email,
      coalesce((select json_agg(json_build_object('id', stated.id, 'name', firmware.name) order by stated.place)
        from unnest(rule.firmware_ids) with ordinality as stated (id, place)
        left join firmwares as firmware on firmware.workspace_id = ${workspaceId} and firmware.id = stated.id), '[]') as firmwares,
      case when rule.team_id is null
        then json_build_object('type', 'Member', 'id', rule.person_id, 'name', coalesce(person.email, rule.person_email, ''))
        else json_build_object('type', 'Team', 'id', team.id, 'name', team.name) end as owner,
      case when rule.team_id is null then member.subject_id is null
        else not exists (select from owner_team_members as belonging
          where belonging.workspace_id = ${workspaceId} and belonging.team_id = rule.team_id) end as is_vacant
    from owner_rules as rule
    left join members as member on member.workspace_id = ${workspaceId} and member.subject_id = rule.person_id
    left join people as person on person.id = member.subject_id
    left join owner_teams as team on team.workspace_id = ${workspaceId} and team.id = rule.team_id
    where rule.workspace_id = ${workspaceId}
    order by rule.place`.execute(db)
  return rows
}

/** By id, the address. */
export async function listMemberEmails(db: Db, workspaceId: string): Promise<Map<string, string>> {
  const rows = await db
    .selectFrom('members as member')
    .innerJoin('people as person', 'person.id', 'member.subjectId')
    .select(['person.id', 'person.email'])
    .where('member.workspaceId', '=', workspaceId)
    .execute()
  return new Map(rows.map(({ id, email }) => [id, email]))
}

export async function listFirmwareIds(db: Db, workspaceId: string): Promise<Set<string>> {
  const rows = await db
    .selectFrom('firmwares')
    .select('id')
    .where('workspaceId', '=', workspaceId)
    .execute()
  return new Set(rows.map(({ id }) => id))
}

export async function replaceOwners(
  tx: Tx,
  workspaceId: string,
  { teams, rules }: StoredOwners,
): Promise<void> {
  await tx.deleteFrom('ownerRules').where('workspaceId', '=', workspaceId).execute()
  await tx.deleteFrom('ownerTeams').where('workspaceId', '=', workspaceId).execute()
  if (teams.length > 0) {
    await tx
      .insertInto('ownerTeams')
      .values(teams.map(({ id, name }) => ({ workspaceId, id, name })))
      .execute()
    await tx
      .insertInto('ownerTeamMembers')
      .values(
        teams.flatMap(({ id: teamId, memberIds }) =>
          memberIds.map((personId) => ({ workspaceId, teamId, personId })),
        ),
      )
      .execute()
  }
  if (rules.length > 0)
    await tx
      .insertInto('ownerRules')
      .values(rules.map((rule, place) => ({ workspaceId, place, ...rule })))
      .execute()
}

/** Members who look after a vulnerability, by address. */
export async function listAssigned(db: Db, workspaceId: string): Promise<Colleague[]> {
  return db
    .selectFrom('people as person')
    .select(['person.id as subjectId', 'person.email', 'person.displayName'])
    .where('person.id', 'in', (given) =>
      given
        .selectFrom('vulnerabilityAssignees')
        .select('personId')
        .where('workspaceId', '=', workspaceId),
    )
    .orderBy('person.email')
    .execute()
}

/** The pattern as LIKE reads it: * is any text, everything else stands for itself. */
const toLike = (pattern: string) =>
  pattern
    .toLowerCase()
    .replaceAll(/[\\%_]/g, String.raw`\$&`)
    .replaceAll(/\*+/g, '%')

/** Letters of ASCII are lowered by themselves, which takes half as long. */
const fits = (text: RawBuilder<unknown>, patterns: readonly string[]) =>
  patterns.every((pattern) => /^[\0-\x7f]*$/.test(pattern))
    ? sql`lower(${text} collate "C") like any(${patterns.map(toLike)}::text[])`
    : sql`lower(${text} collate "default") like any(${patterns.map(toLike)}::text[])`

/** The conditions of a rule on `declared`, a name under which versions hold a package. */
function meetsRule({ components, purls, files, firmwareIds }: RuleConditions): RawBuilder<unknown> {
  return joinAll([
    firmwareIds.length > 0 && sql`declared.firmware_id = any(${firmwareIds}::uuid[])`,
    components.length > 0 &&
      joinAny(
        ['declared.name', 'declared.sourceName'].map((column) => fits(sql.ref(column), components)),
      ),
    purls.length > 0 && fits(sql.ref('declared.purl'), purls),
    files.length > 0 && fits(sql.ref('declared.fileName'), files),
  ])
}

export interface PlacedScope {
  workspaceId: string
  rules: readonly RuleConditions[]
  /** On `fact`: the findings that are asked for. */
  among: RawBuilder<unknown>
  /** Only of these packages; undefined: of all. */
  packageIds?: readonly string[] | undefined
}

/**
 * The components that the packages stand for, as SBOMs declare them. The packages or the versions are looked up one after the other,
 * so that the time grows with what is asked for, whatever the planner knows of the tables.
 */
function selectMembers({ workspaceId, among, packageIds }: PlacedScope): RawBuilder<unknown> {
  const columns = sql`sbom.firmware_version_id, member.package_id, member.package_name, member.source_name, member.purl, sbom.file_name`
  if (packageIds)
    return sql`
      select ${columns} from sbom_components as member
      cross join lateral (
        select each.firmware_version_id, each.file_name from sboms as each
        where each.workspace_id = ${workspaceId} and each.id = member.sbom_id and each.parsing_state = 'Succeeded' offset 0) as sbom
      where member.workspace_id = ${workspaceId} and member.package_id = any(${[...packageIds]}::uuid[])`
  return sql`
    select ${columns} from sboms as sbom
    cross join lateral (
      select each.package_id, each.package_name, each.source_name, each.purl from sbom_components as each
      where each.workspace_id = ${workspaceId} and each.sbom_id = sbom.id and each.package_id is not null offset 0) as member
    where sbom.workspace_id = ${workspaceId} and sbom.parsing_state = 'Succeeded' and sbom.firmware_version_id = any(array(
      select distinct fact.firmware_version_id from firmware_version_packages as fact where fact.workspace_id = ${workspaceId} and ${among}))`
}

/**
 * Of each package of a version the number of the first rule that fits, `rule`; that of no rule is the number of rules. A package may
 * stand for several components of a version: a rule fits if it fits one of them, or what the package is shown as. Versions that
 * declare a package alike are compared as one.
 */
function selectPlaced(scope: PlacedScope): RawBuilder<unknown> {
  const { workspaceId, rules, among, packageIds } = scope
  const none = sql.lit(rules.length)
  const first =
    rules.length === 0
      ? none
      : sql`case ${sql.join(
          rules.map((rule, number) => sql`when ${meetsRule(rule)} then ${sql.lit(number)}`),
          sql` `,
        )} else ${none} end`
  const asks = (condition: keyof RuleConditions) => rules.some((rule) => rule[condition].length > 0)
  const asksMembers = asks('components') || asks('purls') || asks('files')
  const isAsked = packageIds
    ? sql`${among} and fact.package_id = any(${[...packageIds]}::uuid[])`
    : among
  const firmwareId = asks('firmwareIds')
    ? sql`(select version.firmware_id from firmware_versions as version
        where version.workspace_id = ${workspaceId} and version.id = held.firmware_version_id)`
    : sql`null::uuid`
  return sql`
    select version_id as firmware_version_id, declared.package_id, min(declared.rule) as rule
    from (
      select package_id, version_ids, is_asked, ${first} as rule
      from (
        select held.package_id, held.is_asked, held.name, held.source_name, held.purl,
          ${asks('files') ? sql`held.file_name` : sql`null::text`} as file_name, ${firmwareId} as firmware_id,
          array_agg(held.firmware_version_id) as version_ids
        from (
          select fact.firmware_version_id, fact.package_id, fact.component_name as name, null::text as source_name,
            fact.component_purl as purl, null::text as file_name, true as is_asked
          from firmware_version_packages as fact
          where fact.workspace_id = ${workspaceId} and ${isAsked}
          ${asksMembers ? sql`union all select *, false from (${selectMembers(scope)}) as member` : sql``}
        ) as held
        group by 1, 2, 3, 4, 5, 6, 7
      ) as declared
    ) as declared
    cross join unnest(declared.version_ids) as version_id
    group by 1, 2 having bool_or(declared.is_asked)`
}

/** The numbers of the rules that give findings of each package; that of no rule is the number of rules. */
export async function listRulesOfPackages(
  db: Db,
  scope: PlacedScope,
): Promise<Map<string, number[]>> {
  const { rows } = await sql<{ packageId: string; rules: number[] }>`
    select placed.package_id, array_agg(distinct placed.rule order by placed.rule) as rules
    from (${selectPlaced(scope)}) as placed group by placed.package_id`.execute(db)
  return new Map(rows.map(({ packageId, rules }) => [packageId, rules]))
}

interface PackageOfVersion {
  firmwareVersionId: string
  packageId: string
}

/** The number of the rule that gives the findings of each package of a version; that of no rule is the number of rules. */
export async function listRulesOfPairs(
  db: Db,
  scope: Pick<PlacedScope, 'workspaceId' | 'rules'>,
  pairs: readonly PackageOfVersion[],
): Promise<(PackageOfVersion & { rule: number })[]> {
  const among = sql`(fact.firmware_version_id, fact.package_id) in (
    select * from unnest(${pairs.map((pair) => pair.firmwareVersionId)}::uuid[], ${pairs.map((pair) => pair.packageId)}::uuid[]))`
  const packageIds = [...new Set(pairs.map((pair) => pair.packageId))]
  const { rows } = await sql<PackageOfVersion & { rule: number }>`
    select placed.firmware_version_id, placed.package_id, placed.rule
    from (${selectPlaced({ ...scope, among, packageIds })}) as placed`.execute(db)
  return rows
}

/** Findings of some owners, by what rules say of packages. */
export interface OwnedPackages {
  packageIds: string[]
  /** Those all of whose findings they own. */
  wholePackageIds: string[]
  /** The components of the packages, and those all of whose packages are whole. */
  componentNames: string[]
  wholeComponentNames: string[]
}

export async function findOwnedPackages(
  db: Db,
  scope: PlacedScope,
  wanted: readonly number[],
): Promise<OwnedPackages> {
  const { workspaceId } = scope
  const { rows } = await sql<OwnedPackages>`
    with owned as materialized (
      select placed.package_id, bool_or(placed.rule = any(${wanted}::int[])) as is_meant,
        bool_and(placed.rule = any(${wanted}::int[])) as is_whole
      from (${selectPlaced(scope)}) as placed group by placed.package_id
    ), named as materialized (
      select kept.package_id, kept.component_name, coalesce(owned.is_meant, false) as is_meant, coalesce(owned.is_whole, false) as is_whole
      from workspace_packages as kept left join owned on owned.package_id = kept.package_id
      where kept.workspace_id = ${workspaceId} and kept.version_count > 0
    )
    select array(select package_id from owned where is_meant) as package_ids,
      array(select package_id from owned where is_whole) as whole_package_ids,
      array(select distinct component_name from named where is_meant) as component_names,
      array(select component_name from named group by component_name having bool_and(is_whole)) as whole_component_names`.execute(
    db,
  )
  const [found] = rows
  if (found === undefined) throw new Error('a query without tables always has a row')
  return found
}

/** Whom findings that a filter asks for belong to, looked up before the list. */
export interface OwnedScope extends OwnedPackages {
  /** Members who are asked for: what is assigned to them is theirs, whatever rules say. */
  personIds: readonly string[]
  /** Pairs of version and package whose findings belong to the owners. */
  findings: RawBuilder<unknown>
  /** Some packages have findings of several owners. */
  isMixed: boolean
}

export const selectOwnedFindings = (scope: PlacedScope, wanted: readonly number[]) => sql`
  select placed.firmware_version_id, placed.package_id
  from (${selectPlaced(scope)}) as placed where placed.rule = any(${[...wanted]}::int[])`

/** `byRule` decides where nobody is assigned to the vulnerability `id`. */
export function isOwnedBy(
  id: RawBuilder<unknown>,
  { workspaceId, personIds }: { workspaceId: string; personIds: readonly string[] },
  byRule: RawBuilder<unknown>,
): RawBuilder<unknown> {
  const assigned = (condition: RawBuilder<unknown>) => sql`(
    select alias.vulnerability_id from vulnerability_assignees as given
    join vulnerability_aliases as alias on alias.alias = given.vulnerability_id
    where given.workspace_id = ${workspaceId} and ${condition})`
  const byPerson = sql`given.person_id = any(${[...personIds]}::uuid[])`
  return sql`((${byRule} and ${id} not in ${assigned(sql`true`)})
    ${personIds.length === 0 ? sql`` : sql`or ${id} in ${assigned(byPerson)}`})`
}
