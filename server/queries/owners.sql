-- Statements as the tests execute them. Written by `npm run queries` (docs/decisions/0020-collected-queries.md).

-- server/src/features/owners/store.ts findOwnedPackages: the shortest and the longest of many variants
--   00d92655 022b2b3e 0e830074 1b51764e 1c5d54ff 264c0a05 2852d778 47ffb2f2 49101fe7 6f8d21ab
--   80f7cad1 81b374ba 9982a668 9ef4e384 bb3cfabe ca269b98 d1ae5767 db97d877 e1edb260 f0460d6e
--   fb2f8aa6
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
          ) then 0 when true and version.firmware_id = any($7::uuid[]) then 1 when true
          and version.firmware_id = any($8::uuid[])
          and (
            lower(fact.component_name collate "C") like any($9::text[])
              or lower(member.package_name collate "C") like any($10::text[])
              or lower(member.source_name collate "C") like any($11::text[])
          ) then 2 when true and version.firmware_id = any($12::uuid[])
          and (
            lower(fact.component_name collate "C") like any($13::text[])
              or lower(member.package_name collate "C") like any($14::text[])
              or lower(member.source_name collate "C") like any($15::text[])
          ) then 3 else 4 end
      ) as rule
    from firmware_version_packages as fact
    join firmware_versions as version on version.workspace_id = $16
      and version.id = fact.firmware_version_id
    left join (
      sboms as sbom
      join sbom_components as member on member.workspace_id = $17 and member.sbom_id = sbom.id
    ) on sbom.workspace_id = $18 and sbom.parsing_state = 'Succeeded'
      and sbom.firmware_version_id = fact.firmware_version_id
      and member.package_id = fact.package_id
    where fact.workspace_id = $19 and fact.firmware_version_id = $20
    group by fact.firmware_version_id, fact.package_id
  ) as placed
  group by placed.package_id
),
  named as materialized (
    select kept.package_id, kept.component_name, coalesce(owned.is_meant, false) as is_meant,
      coalesce(owned.is_whole, false) as is_whole
    from workspace_packages as kept
    left join owned on owned.package_id = kept.package_id
    where kept.workspace_id = $21 and kept.version_count > 0
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
--   0fc88184 165768aa 1d082376 1d89a60a 2b6e4ce9 2fffffa6 340fc35e 41f0292e 430b20d2 74b3ede4
--   7d7d05cd 8269d9ca 8627ebed 885bfab7 899074d9 91dcbb59 9a45c755 a8c7a27e b5d86700 c30677bf
--   c47f55f7 d6852d42 f57778fb
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
        ) then 0 when true and version.firmware_id = any($5::uuid[]) then 1 when true
        and version.firmware_id = any($6::uuid[])
        and (
          lower(fact.component_name collate "C") like any($7::text[])
            or lower(member.package_name collate "C") like any($8::text[])
            or lower(member.source_name collate "C") like any($9::text[])
        ) then 2 when true and version.firmware_id = any($10::uuid[])
        and (
          lower(fact.component_name collate "C") like any($11::text[])
            or lower(member.package_name collate "C") like any($12::text[])
            or lower(member.source_name collate "C") like any($13::text[])
        ) then 3 else 4 end
    ) as rule
  from firmware_version_packages as fact
  join firmware_versions as version on version.workspace_id = $14
    and version.id = fact.firmware_version_id
  left join (
    sboms as sbom
    join sbom_components as member on member.workspace_id = $15 and member.sbom_id = sbom.id
  ) on sbom.workspace_id = $16 and sbom.parsing_state = 'Succeeded'
    and sbom.firmware_version_id = fact.firmware_version_id and member.package_id = fact.package_id
  where fact.workspace_id = $17 and fact.firmware_version_id = $18
    and fact.package_id = any($19::uuid[])
  group by fact.firmware_version_id, fact.package_id
) as placed
group by placed.package_id;

-- server/src/features/owners/store.ts listRulesOfPairs
select placed.firmware_version_id, placed.package_id, placed.rule
from (
  select fact.firmware_version_id, fact.package_id, min(case when true then 0 else 1 end) as rule
  from firmware_version_packages as fact
  join firmware_versions as version on version.workspace_id = $1
    and version.id = fact.firmware_version_id
  where fact.workspace_id = $2
    and (fact.firmware_version_id, fact.package_id) in (
      select * from unnest($3::uuid[], $4::uuid[])
    )
  group by fact.firmware_version_id, fact.package_id
) as placed;

-- server/src/features/owners/store.ts listRulesOfPairs
select placed.firmware_version_id, placed.package_id, placed.rule
from (
  select fact.firmware_version_id, fact.package_id,
    min(
      case when true
        and (
          lower(fact.component_name collate "C") like any($1::text[])
            or lower(member.package_name collate "C") like any($2::text[])
            or lower(member.source_name collate "C") like any($3::text[])
        ) then 0 else 1 end
    ) as rule
  from firmware_version_packages as fact
  join firmware_versions as version on version.workspace_id = $4
    and version.id = fact.firmware_version_id
  left join (
    sboms as sbom
    join sbom_components as member on member.workspace_id = $5 and member.sbom_id = sbom.id
  ) on sbom.workspace_id = $6 and sbom.parsing_state = 'Succeeded'
    and sbom.firmware_version_id = fact.firmware_version_id and member.package_id = fact.package_id
  where fact.workspace_id = $7
    and (fact.firmware_version_id, fact.package_id) in (
      select * from unnest($8::uuid[], $9::uuid[])
    )
  group by fact.firmware_version_id, fact.package_id
) as placed;

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
--   20f3aca3 5849df22 60169986 99abeeb4 f36c7a79 f51f692f
delete from owner_rules where workspace_id = $1;

insert into owner_rules (
  workspace_id, place, id, components, purls, files, firmware_ids, team_id, person_id, person_email
)
values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10);
