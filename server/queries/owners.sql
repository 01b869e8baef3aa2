-- Statements as the tests execute them. Written by `npm run queries` (docs/decisions/0020-collected-queries.md).

-- server/src/features/owners/store.ts findOwnedPackages: the shortest and the longest of many variants
--   00d92655 0942445c 0e830074 264c0a05 2852d778 417ee482 47ffb2f2 499d6b80 4a0f17dd 56433c45
--   6547fae0 6955abe8 76da4a49 7a413b18 81b374ba 8f271212 ac382453 b3f37c57 b70053e6 bb3cfabe
--   c71ea3d1 d1ae5767 eb71df06 f77a1acd fb2f8aa6
with owned as materialized (
  select placed.package_id, bool_or(placed.rule = any($1::int[])) as is_meant,
    bool_and(placed.rule = any($2::int[])) as is_whole
  from (
    select fact.firmware_version_id, fact.package_id, min(0) as rule
    from firmware_version_packages as fact
    join firmware_versions as version on version.workspace_id = $3
      and version.id = fact.firmware_version_id
    where fact.workspace_id = $4 and fact.until is null and true
    group by fact.firmware_version_id, fact.package_id
  ) as placed
  group by placed.package_id
),
  named as materialized (
    select kept.package_id, kept.component_name, coalesce(owned.is_meant, false) as is_meant,
      coalesce(owned.is_whole, false) as is_whole
    from workspace_packages as kept
    left join owned on owned.package_id = kept.package_id
    where kept.workspace_id = $5 and kept.version_count > 0
  )
select array(select package_id from owned where is_meant) as package_ids,
  array(select package_id from owned where is_whole) as whole_package_ids,
  array(select distinct component_name from named where is_meant) as component_names,
  array(select component_name from named group by component_name having bool_and(is_whole)) as
  whole_component_names;

with owned as materialized (
  select placed.package_id, bool_or(placed.rule = any($1::int[])) as is_meant,
    bool_and(placed.rule = any($2::int[])) as is_whole
  from (
    select fact.firmware_version_id, fact.package_id,
      min(
        case when true and version.firmware_id = any($3::uuid[])
          and (
            lower(fact.component_name collate "C") like any($4::text[])
              or lower(member.package_name collate "C") like any($5::text[])
              or lower(member.source_name collate "C") like any($6::text[])
          ) then 0 when true
          and (
            lower(fact.component_name collate "C") like any($7::text[])
              or lower(member.package_name collate "C") like any($8::text[])
              or lower(member.source_name collate "C") like any($9::text[])
          ) then 1 when true and version.firmware_id = any($10::uuid[]) then 2 when true
          and version.firmware_id = any($11::uuid[])
          and (
            lower(fact.component_name collate "C") like any($12::text[])
              or lower(member.package_name collate "C") like any($13::text[])
              or lower(member.source_name collate "C") like any($14::text[])
          ) then 3 else 4 end
      ) as rule
    from firmware_version_packages as fact
    join firmware_versions as version on version.workspace_id = $15
      and version.id = fact.firmware_version_id
    left join (
      sboms as sbom
      join sbom_components as member on member.workspace_id = $16 and member.sbom_id = sbom.id
    ) on sbom.workspace_id = $17 and sbom.parsing_state = 'Succeeded'
      and sbom.firmware_version_id = fact.firmware_version_id
      and member.package_id = fact.package_id
    where fact.workspace_id = $18 and fact.firmware_version_id = $19
    group by fact.firmware_version_id, fact.package_id
  ) as placed
  group by placed.package_id
),
  named as materialized (
    select kept.package_id, kept.component_name, coalesce(owned.is_meant, false) as is_meant,
      coalesce(owned.is_whole, false) as is_whole
    from workspace_packages as kept
    left join owned on owned.package_id = kept.package_id
    where kept.workspace_id = $20 and kept.version_count > 0
  )
select array(select package_id from owned where is_meant) as package_ids,
  array(select package_id from owned where is_whole) as whole_package_ids,
  array(select distinct component_name from named where is_meant) as component_names,
  array(select component_name from named group by component_name having bool_and(is_whole)) as
  whole_component_names;

-- server/src/features/owners/store.ts listAssigned
select person.id as subject_id, person.email, person.display_name
from people as person
where person.id in (select person_id from vulnerability_assignees where workspace_id = $1)
order by person.email;

-- server/src/features/owners/store.ts listFirmwareIds
select id from firmwares where workspace_id = $1;

-- server/src/features/owners/store.ts listMemberEmails
select person.id, person.email
from members as member
inner join people as person on person.id = member.subject_id
where member.workspace_id = $1;

-- server/src/features/owners/store.ts listRules
select rule.id, rule.components, rule.purls, rule.files, rule.firmware_ids, rule.person_id,
  rule.team_id, rule.person_email,
  coalesce(
    (
      select json_agg(
        json_build_object('id', stated.id, 'name', firmware.name) order by stated.place
      )
      from unnest(rule.firmware_ids) with ordinality as stated (id, place) left join firmwares as
        firmware on firmware.workspace_id = $1 and firmware.id = stated.id
    ), '[]'
  ) as firmwares, case
  when rule.team_id is null then json_build_object(
    'type', 'Member', 'id', rule.person_id, 'name', coalesce(person.email, rule.person_email, '')
  ) else json_build_object('type', 'Team', 'id', team.id, 'name', team.name) end as owner, case
  when rule.team_id is null then member.subject_id is null
  else not exists (
    select
    from owner_team_members as belonging
    where belonging.workspace_id = $2 and belonging.team_id = rule.team_id
  ) end as is_vacant
from owner_rules as rule
left join members as member on member.workspace_id = $3 and member.subject_id = rule.person_id
left join people as person on person.id = member.subject_id
left join owner_teams as team on team.workspace_id = $4 and team.id = rule.team_id
where rule.workspace_id = $5
order by rule.place;

-- server/src/features/owners/store.ts listRulesOfPackages: the shortest and the longest of many variants
--   0ab34aa6 0c52974b 1327324a 165768aa 2e19189b 2fffffa6 41f0292e 46b239bf 5c454e97 6895b3d9
--   6cec44f1 8269d9ca 885bfab7 a566dc73 b32b5f68 b5d86700 c53d3933 d2a8a23c d6852d42 d9e6a2dc
--   f3d050c9 f6075811 fe761472
select placed.package_id, array_agg(distinct placed.rule order by placed.rule) as rules
from (
  select fact.firmware_version_id, fact.package_id, min(case when true then 0 else 1 end) as rule
  from firmware_version_packages as fact
  join firmware_versions as version on version.workspace_id = $1
    and version.id = fact.firmware_version_id
  where fact.workspace_id = $2 and fact.until is null and true and fact.package_id = any($3::uuid[])
  group by fact.firmware_version_id, fact.package_id
) as placed
group by placed.package_id;

select placed.package_id, array_agg(distinct placed.rule order by placed.rule) as rules
from (
  select fact.firmware_version_id, fact.package_id,
    min(
      case when true and version.firmware_id = any($1::uuid[])
        and (
          lower(fact.component_name collate "C") like any($2::text[])
            or lower(member.package_name collate "C") like any($3::text[])
            or lower(member.source_name collate "C") like any($4::text[])
        ) then 0 when true
        and (
          lower(fact.component_name collate "C") like any($5::text[])
            or lower(member.package_name collate "C") like any($6::text[])
            or lower(member.source_name collate "C") like any($7::text[])
        ) then 1 when true and version.firmware_id = any($8::uuid[]) then 2 when true
        and version.firmware_id = any($9::uuid[])
        and (
          lower(fact.component_name collate "C") like any($10::text[])
            or lower(member.package_name collate "C") like any($11::text[])
            or lower(member.source_name collate "C") like any($12::text[])
        ) then 3 else 4 end
    ) as rule
  from firmware_version_packages as fact
  join firmware_versions as version on version.workspace_id = $13
    and version.id = fact.firmware_version_id
  left join (
    sboms as sbom
    join sbom_components as member on member.workspace_id = $14 and member.sbom_id = sbom.id
  ) on sbom.workspace_id = $15 and sbom.parsing_state = 'Succeeded'
    and sbom.firmware_version_id = fact.firmware_version_id and member.package_id = fact.package_id
  where fact.workspace_id = $16 and fact.firmware_version_id = $17
    and fact.package_id = any($18::uuid[])
  group by fact.firmware_version_id, fact.package_id
) as placed
group by placed.package_id;

-- server/src/features/owners/store.ts listTeams
select team.id, team.name,
  coalesce(json_agg(person.id order by person.email) filter (where person.id is not null), '[]') as
  member_ids,
  coalesce(
    json_agg(
      json_build_object(
        'subjectId', person.id, 'email', person.email, 'displayName', person.display_name
      )
      order by person.email
    ) filter (where person.id is not null), '[]'
  ) as members
from owner_teams as team
left join owner_team_members as belonging on belonging.workspace_id = $1
  and belonging.team_id = team.id
left join people as person on person.id = belonging.person_id
where team.workspace_id = $2
group by team.id, team.name
order by lower(team.name), team.id;

-- server/src/features/owners/store.ts lockOwners
select pg_advisory_xact_lock(hashtextextended('owner-rules:' || $1, 0));

-- server/src/features/owners/store.ts replaceOwners: the shortest and the longest of many variants
--   20f3aca3 5849df22 60169986 99abeeb4 f36c7a79
delete from owner_rules where workspace_id = $1;

insert into owner_rules (
  workspace_id, place, id, components, purls, files, firmware_ids, person_id, team_id, person_email
)
values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10);
