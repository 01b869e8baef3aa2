-- Statements as the tests execute them. Written by `npm run queries` (docs/decisions/0020-collected-queries.md).

-- server/src/features/owners/store.ts findOwnedPackages: the shortest and the longest of many variants
--   0a36fb9e 0d129a25 10927f77 15362c85 24575dbf 2d85e553 3e45a164 40573503 51f5548f 58448983
--   5dbf44f6 69b62925 75e4acc3 7c64ee77 9000db7c 9a5f3e9a a7d796eb ad8e9baa b3919cb4 bd93fc6b
--   c03a9ac1 d1fb30bd e615ae3b f31d93a7 f5947737
with owned as materialized (
  select placed.package_id, bool_or(placed.rule = any($1::int[])) as is_meant,
    bool_and(placed.rule = any($2::int[])) as is_whole
  from (
    select version_id as firmware_version_id, declared.package_id, min(declared.rule) as rule
    from (
      select package_id, version_ids, is_asked, 0 as rule
      from (
        select held.package_id, held.is_asked, held.name, held.source_name, held.purl,
          null::text as file_name, null::uuid as firmware_id,
          array_agg(held.firmware_version_id) as version_ids
        from (
          select fact.firmware_version_id, fact.package_id, fact.component_name as name,
            null::text as source_name, fact.component_purl as purl, null::text as file_name,
            true as is_asked
          from firmware_version_packages as fact
          where fact.workspace_id = $3 and fact.until is null and true
        ) as held
        group by 1, 2, 3, 4, 5, 6, 7
      ) as declared
    ) as declared
    cross join unnest(declared.version_ids) as version_id
    group by 1, 2
    having bool_or(declared.is_asked)
  ) as placed
  group by placed.package_id
),
  named as materialized (
    select kept.package_id, kept.component_name, coalesce(owned.is_meant, false) as is_meant,
      coalesce(owned.is_whole, false) as is_whole
    from workspace_packages as kept
    left join owned on owned.package_id = kept.package_id
    where kept.workspace_id = $4 and kept.version_count > 0
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
    select version_id as firmware_version_id, declared.package_id, min(declared.rule) as rule
    from (
      select package_id, version_ids, is_asked, case when true
        and (
          lower(declared.name collate "C") like any($3::text[])
            or lower(declared.source_name collate "C") like any($4::text[])
        ) then 0 when true and declared.firmware_id = any($5::uuid[])
        and (
          lower(declared.name collate "C") like any($6::text[])
            or lower(declared.source_name collate "C") like any($7::text[])
        ) then 1 when true and declared.firmware_id = any($8::uuid[])
        and (
          lower(declared.name collate "C") like any($9::text[])
            or lower(declared.source_name collate "C") like any($10::text[])
        ) then 2 when true and declared.firmware_id = any($11::uuid[])
        and (
          lower(declared.name collate "C") like any($12::text[])
            or lower(declared.source_name collate "C") like any($13::text[])
        ) then 3 else 4 end as rule
      from (
        select held.package_id, held.is_asked, held.name, held.source_name, held.purl,
          null::text as file_name,
          (
            select version.firmware_id
            from firmware_versions as version
            where version.workspace_id = $14 and version.id = held.firmware_version_id
          ) as firmware_id, array_agg(held.firmware_version_id) as version_ids
        from (
          select fact.firmware_version_id, fact.package_id, fact.component_name as name,
            null::text as source_name, fact.component_purl as purl, null::text as file_name,
            true as is_asked
          from firmware_version_packages as fact
          where fact.workspace_id = $15 and fact.firmware_version_id = $16
          union all select *, false
          from (
            select sbom.firmware_version_id, member.package_id, member.package_name,
              member.source_name, member.purl, sbom.file_name
            from sboms as sbom
            cross join lateral (
              select each.package_id, each.package_name, each.source_name, each.purl
              from sbom_components as each
              where each.workspace_id = $17 and each.sbom_id = sbom.id
                and each.package_id is not null
              offset 0
            ) as member
            where sbom.workspace_id = $18 and sbom.parsing_state = 'Succeeded'
              and sbom.firmware_version_id = any(
                array(
                  select distinct fact.firmware_version_id
                  from firmware_version_packages as fact
                  where fact.workspace_id = $19 and fact.firmware_version_id = $20
                )
              )
          ) as member
        ) as held
        group by 1, 2, 3, 4, 5, 6, 7
      ) as declared
    ) as declared
    cross join unnest(declared.version_ids) as version_id
    group by 1, 2
    having bool_or(declared.is_asked)
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
--   0bc002aa 0eaf5e4b 150e33f6 1c3e7ab8 227ef54c 2d2389d2 2f8d8cb2 322c68ac 3257e2e0 40874f8e
--   41f76e10 42bc00ae 4c8ccfa7 70a394aa 752c1b6e 7d6a6ea2 a3211bb8 a652a646 a7c25ce1 b5f1fde3
--   b858ff5d c22c2ecc c296f8f6 c9c3ab73 d5e1e477 dd6423e6 e99c6474
select placed.package_id, array_agg(distinct placed.rule order by placed.rule) as rules
from (
  select version_id as firmware_version_id, declared.package_id, min(declared.rule) as rule
  from (
    select package_id, version_ids, is_asked, case when true then 0 else 1 end as rule
    from (
      select held.package_id, held.is_asked, held.name, held.source_name, held.purl,
        null::text as file_name, null::uuid as firmware_id,
        array_agg(held.firmware_version_id) as version_ids
      from (
        select fact.firmware_version_id, fact.package_id, fact.component_name as name,
          null::text as source_name, fact.component_purl as purl, null::text as file_name,
          true as is_asked
        from firmware_version_packages as fact
        where fact.workspace_id = $1 and fact.until is null and true
          and fact.package_id = any($2::uuid[])
      ) as held
      group by 1, 2, 3, 4, 5, 6, 7
    ) as declared
  ) as declared
  cross join unnest(declared.version_ids) as version_id
  group by 1, 2
  having bool_or(declared.is_asked)
) as placed
group by placed.package_id;

select placed.package_id, array_agg(distinct placed.rule order by placed.rule) as rules
from (
  select version_id as firmware_version_id, declared.package_id, min(declared.rule) as rule
  from (
    select package_id, version_ids, is_asked, case when true
      and (
        lower(declared.name collate "C") like any($1::text[])
          or lower(declared.source_name collate "C") like any($2::text[])
      ) then 0 when true and declared.firmware_id = any($3::uuid[])
      and (
        lower(declared.name collate "C") like any($4::text[])
          or lower(declared.source_name collate "C") like any($5::text[])
      ) then 1 when true and declared.firmware_id = any($6::uuid[])
      and (
        lower(declared.name collate "C") like any($7::text[])
          or lower(declared.source_name collate "C") like any($8::text[])
      ) then 2 when true and declared.firmware_id = any($9::uuid[])
      and (
        lower(declared.name collate "C") like any($10::text[])
          or lower(declared.source_name collate "C") like any($11::text[])
      ) then 3 else 4 end as rule
    from (
      select held.package_id, held.is_asked, held.name, held.source_name, held.purl,
        null::text as file_name,
        (
          select version.firmware_id
          from firmware_versions as version
          where version.workspace_id = $12 and version.id = held.firmware_version_id
        ) as firmware_id, array_agg(held.firmware_version_id) as version_ids
      from (
        select fact.firmware_version_id, fact.package_id, fact.component_name as name,
          null::text as source_name, fact.component_purl as purl, null::text as file_name,
          true as is_asked
        from firmware_version_packages as fact
        where fact.workspace_id = $13 and fact.firmware_version_id = $14
          and fact.package_id = any($15::uuid[])
        union all select *, false
        from (
          select sbom.firmware_version_id, member.package_id, member.package_name,
            member.source_name, member.purl, sbom.file_name
          from sbom_components as member
          cross join lateral (
            select each.firmware_version_id, each.file_name
            from sboms as each
            where each.workspace_id = $16 and each.id = member.sbom_id
              and each.parsing_state = 'Succeeded'
            offset 0
          ) as sbom
          where member.workspace_id = $17 and member.package_id = any($18::uuid[])
        ) as member
      ) as held
      group by 1, 2, 3, 4, 5, 6, 7
    ) as declared
  ) as declared
  cross join unnest(declared.version_ids) as version_id
  group by 1, 2
  having bool_or(declared.is_asked)
) as placed
group by placed.package_id;

-- server/src/features/owners/store.ts listRulesOfPairs
select placed.firmware_version_id, placed.package_id, placed.rule
from (
  select version_id as firmware_version_id, declared.package_id, min(declared.rule) as rule
  from (
    select package_id, version_ids, is_asked, case when true then 0 else 1 end as rule
    from (
      select held.package_id, held.is_asked, held.name, held.source_name, held.purl,
        null::text as file_name, null::uuid as firmware_id,
        array_agg(held.firmware_version_id) as version_ids
      from (
        select fact.firmware_version_id, fact.package_id, fact.component_name as name,
          null::text as source_name, fact.component_purl as purl, null::text as file_name,
          true as is_asked
        from firmware_version_packages as fact
        where fact.workspace_id = $1
          and (fact.firmware_version_id, fact.package_id) in (
            select * from unnest($2::uuid[], $3::uuid[])
          ) and fact.package_id = any($4::uuid[])
      ) as held
      group by 1, 2, 3, 4, 5, 6, 7
    ) as declared
  ) as declared
  cross join unnest(declared.version_ids) as version_id
  group by 1, 2
  having bool_or(declared.is_asked)
) as placed;

-- server/src/features/owners/store.ts listRulesOfPairs
select placed.firmware_version_id, placed.package_id, placed.rule
from (
  select version_id as firmware_version_id, declared.package_id, min(declared.rule) as rule
  from (
    select package_id, version_ids, is_asked, case when true
      and (
        lower(declared.name collate "C") like any($1::text[])
          or lower(declared.source_name collate "C") like any($2::text[])
      ) then 0 else 1 end as rule
    from (
      select held.package_id, held.is_asked, held.name, held.source_name, held.purl,
        null::text as file_name, null::uuid as firmware_id,
        array_agg(held.firmware_version_id) as version_ids
      from (
        select fact.firmware_version_id, fact.package_id, fact.component_name as name,
          null::text as source_name, fact.component_purl as purl, null::text as file_name,
          true as is_asked
        from firmware_version_packages as fact
        where fact.workspace_id = $3
          and (fact.firmware_version_id, fact.package_id) in (
            select * from unnest($4::uuid[], $5::uuid[])
          ) and fact.package_id = any($6::uuid[])
        union all select *, false
        from (
          select sbom.firmware_version_id, member.package_id, member.package_name,
            member.source_name, member.purl, sbom.file_name
          from sbom_components as member
          cross join lateral (
            select each.firmware_version_id, each.file_name
            from sboms as each
            where each.workspace_id = $7 and each.id = member.sbom_id
              and each.parsing_state = 'Succeeded'
            offset 0
          ) as sbom
          where member.workspace_id = $8 and member.package_id = any($9::uuid[])
        ) as member
      ) as held
      group by 1, 2, 3, 4, 5, 6, 7
    ) as declared
  ) as declared
  cross join unnest(declared.version_ids) as version_id
  group by 1, 2
  having bool_or(declared.is_asked)
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
