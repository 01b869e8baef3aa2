-- Statements as the tests execute them. Written by `npm run queries` (docs/decisions/0020-collected-queries.md).

-- server/src/features/licences/kept-store.ts countWrong
with version as (select * from unnest($1::uuid[], $2::uuid[]) as given (id, rules_of))
select version.id,
  coalesce(sum(kept.component_count) filter (where wrong.fails), 0)::int as failing,
  coalesce(sum(kept.component_count) filter (where not wrong.fails), 0)::int as unknown
from unnest($3::text[], $4::uuid[], $5::boolean[]) as wrong (key, rules_of, fails)
join firmware_version_licences as kept on kept.workspace_id = $6 and kept.key = wrong.key
join version on version.id = kept.firmware_version_id
  and version.rules_of is not distinct from wrong.rules_of
group by version.id;

-- server/src/features/licences/kept-store.ts keepLicencesOfVersion
delete from firmware_version_licences where workspace_id = $1 and firmware_version_id = $2;

-- server/src/features/licences/kept-store.ts keepLicencesOfVersion
update firmware_versions as version
set licences_of = (
  select coalesce(
    md5(
      string_agg(concat_ws(' ', read.id, extract(epoch from read.parsed_at)), ',' order by read.id)
    ), ''
  )
  from sboms as read
  where read.workspace_id = $1 and read.firmware_version_id = version.id
    and read.parsing_state = 'Succeeded'
)
where workspace_id = $2 and id = $3;

-- server/src/features/licences/kept-store.ts keepLicencesOfVersion
insert into firmware_version_licences (workspace_id, firmware_version_id, key, component_count)
select $1::uuid, $2::uuid,
  md5(component.licenses::text || coalesce(sbom.format like 'Spdx%', false)), count(*)::int
from sboms as sbom
join sbom_components as component on component.workspace_id = sbom.workspace_id
  and component.sbom_id = sbom.id
where sbom.workspace_id = $3 and sbom.parsing_state = 'Succeeded'
  and (component.scope is null or component.scope <> all($4::text[]))
  and sbom.firmware_version_id = $5
group by 3;

-- server/src/features/licences/kept-store.ts keepLicencesOfVersion
insert into workspace_licences (workspace_id, key, licenses, is_spdx)
select distinct $1::uuid,
  md5(component.licenses::text || coalesce(sbom.format like 'Spdx%', false)), component.licenses,
  coalesce(sbom.format like 'Spdx%', false)
from sboms as sbom
join sbom_components as component on component.workspace_id = sbom.workspace_id
  and component.sbom_id = sbom.id
where sbom.workspace_id = $2 and sbom.parsing_state = 'Succeeded'
  and (component.scope is null or component.scope <> all($3::text[]))
  and sbom.firmware_version_id = $4
order by 2
on conflict
do nothing;

-- server/src/features/licences/kept-store.ts listHolding
with counted as (
  select firmware_version_id, sum(devices)::int as devices
  from firmware_version_device_counts
  where workspace_id = $1
  group by firmware_version_id
),
  version as materialized (
    select version.id, version.name, firmware.name as firmware_name,
      coalesce(counted.devices, 0) as devices, case
      when firmware.id = any($2::uuid[]) then firmware.id end as rules_of
    from firmware_versions as version
    join firmwares as firmware on firmware.workspace_id = $3 and firmware.id = version.firmware_id
    left join counted on counted.firmware_version_id = version.id
    where version.workspace_id = $4 and ($5 or firmware.id = any($6::uuid[]))
      and (
        counted.devices > 0
          or (
            not $7
              and not exists (
                select
                from firmware_versions as later
                where later.workspace_id = $8 and later.firmware_id = version.firmware_id
                  and later.line_id is not distinct from version.line_id
                  and (later.created_at, later.id) > (version.created_at, version.id)
              )
          )
      )
  )
select version.id as firmware_version_id, version.firmware_name, version.name as version_name,
  kept.component_count, version.devices as device_count, (asked.place - 1)::int as place
from unnest($9::text[], $10::uuid[]) with ordinality as asked (key, rules_of, place)
join version on version.rules_of is not distinct from asked.rules_of
join firmware_version_licences as kept on kept.workspace_id = $11
  and kept.firmware_version_id = version.id and kept.key = asked.key
order by version.devices desc, version.firmware_name, version.name, version.id, asked.key
limit $12;

-- server/src/features/licences/kept-store.ts listKeptVersions
select version.id, version.firmware_id,
  coalesce(version.licences_of, '') = (
    select coalesce(
      md5(
        string_agg(
          concat_ws(' ', read.id, extract(epoch from read.parsed_at)), ',' order by read.id
        )
      ), ''
    )
    from sboms as read
    where read.workspace_id = $1 and read.firmware_version_id = version.id
      and read.parsing_state = 'Succeeded'
  ) as is_kept
from firmware_versions as version
where version.workspace_id = $2 and version.id = any($3::uuid[]);

-- server/src/features/licences/kept-store.ts listLicencesOfVersions
with version as materialized (
  select version.id, version.firmware_id,
    coalesce(version.licences_of, '') = (
      select coalesce(
        md5(
          string_agg(
            concat_ws(' ', read.id, extract(epoch from read.parsed_at)), ',' order by read.id
          )
        ), ''
      )
      from sboms as read
      where read.workspace_id = $1 and read.firmware_version_id = version.id
        and read.parsing_state = 'Succeeded'
    ) as is_kept
  from firmware_versions as version
  where version.workspace_id = $2 and ($3 or version.firmware_id = any($4::uuid[]))
    and ($5 or version.id = any($6::uuid[]))
)
select version.firmware_id, stated.licenses, stated.is_spdx
from version
join firmware_version_licences as kept on kept.workspace_id = $7
  and kept.firmware_version_id = version.id
join workspace_licences as stated on stated.workspace_id = $8 and stated.key = kept.key
where version.is_kept
union select version.firmware_id, component.licenses, coalesce(sbom.format like 'Spdx%', false)
from version
join sboms as sbom on sbom.workspace_id = $9 and sbom.firmware_version_id = version.id
join sbom_components as component on component.workspace_id = sbom.workspace_id
  and component.sbom_id = sbom.id
where not version.is_kept and sbom.parsing_state = 'Succeeded'
  and (component.scope is null or component.scope <> all($10::text[]));

-- server/src/features/licences/kept-store.ts listStated
select key, licenses, is_spdx from workspace_licences where workspace_id = $1;

-- server/src/features/licences/kept-store.ts listStatedCounts
with version as materialized (
  select version.id,
    coalesce(version.licences_of, '') = (
      select coalesce(
        md5(
          string_agg(
            concat_ws(' ', read.id, extract(epoch from read.parsed_at)), ',' order by read.id
          )
        ), ''
      )
      from sboms as read
      where read.workspace_id = $1 and read.firmware_version_id = version.id
        and read.parsing_state = 'Succeeded'
    ) as is_kept
  from firmware_versions as version
  where version.workspace_id = $2 and version.id = $3
)
select stated.licenses, stated.is_spdx, kept.component_count
from version
join firmware_version_licences as kept on kept.workspace_id = $4
  and kept.firmware_version_id = version.id
join workspace_licences as stated on stated.workspace_id = $5 and stated.key = kept.key
where version.is_kept
union all select component.licenses, coalesce(sbom.format like 'Spdx%', false), count(*)::int
from sboms as sbom
join sbom_components as component on component.workspace_id = sbom.workspace_id
  and component.sbom_id = sbom.id
where sbom.workspace_id = $6 and sbom.parsing_state = 'Succeeded'
  and (component.scope is null or component.scope <> all($7::text[]))
  and sbom.firmware_version_id = (select id from version where not is_kept)
group by 1, 2;

-- server/src/features/licences/kept-store.ts listUncounted
select version.workspace_id, version.id as firmware_version_id
from firmware_versions as version
where not coalesce(version.licences_of, '') = (
  select coalesce(
    md5(
      string_agg(concat_ws(' ', read.id, extract(epoch from read.parsed_at)), ',' order by read.id)
    ), ''
  )
  from sboms as read
  where read.workspace_id = version.workspace_id and read.firmware_version_id = version.id
    and read.parsing_state = 'Succeeded'
)
order by version.workspace_id, version.id
limit $1;

-- server/src/features/licences/store.ts findRules
select allow, deny, review, fail_on
from licence_rules
where workspace_id = $1 and firmware_id is not distinct from $2::uuid;

-- server/src/features/licences/store.ts listNamedLicences
select distinct component.package_name as name, component.licenses,
  coalesce(sbom.format like 'Spdx%', false) as is_spdx
from sboms as sbom
join sbom_components as component on component.workspace_id = sbom.workspace_id
  and component.sbom_id = sbom.id
where sbom.workspace_id = $1 and sbom.firmware_version_id = $2 and sbom.parsing_state = 'Succeeded'
  and (component.scope is null or component.scope <> all($3::text[]));

-- server/src/features/licences/store.ts listNoticed
select distinct component.package_name as name, component.version, component.supplier,
  component.licenses, coalesce(sbom.format like 'Spdx%', false) as is_spdx
from sboms as sbom
join sbom_components as component on component.workspace_id = sbom.workspace_id
  and component.sbom_id = sbom.id
where sbom.workspace_id = $1 and sbom.firmware_version_id = $2 and sbom.parsing_state = 'Succeeded'
  and (component.scope is null or component.scope <> all($3::text[]))
order by name, version, supplier;

-- server/src/features/licences/store.ts listRules
select firmware_id, allow, deny, review, fail_on
from licence_rules
where workspace_id = $1 and ($2 or firmware_id is null or firmware_id = any($3::uuid[]));

-- server/src/features/licences/store.ts listStatedLicences
with named as (
  select component.licenses, coalesce(sbom.format like 'Spdx%', false) as is_spdx,
    concat_ws(' ', component.package_name, component.version) as component
  from sboms as sbom
  join sbom_components as component on component.workspace_id = sbom.workspace_id
    and component.sbom_id = sbom.id
  where sbom.workspace_id = $1 and sbom.firmware_version_id = $2
    and sbom.parsing_state = 'Succeeded'
    and (component.scope is null or component.scope <> all($3::text[]))
),
  placed as (
    select named.*, row_number() over (partition by licenses, is_spdx order by component) as place
    from named
  )
select licenses, is_spdx, count(*)::int as component_count,
  array_agg(component order by place) filter (where place <= $4) as components
from placed
group by licenses, is_spdx
order by licenses, is_spdx;

-- server/src/features/licences/store.ts lockRules
select pg_advisory_xact_lock(hashtextextended('licence-rules:' || $1, 0));

-- server/src/features/licences/store.ts replaceRules
delete from licence_rules where workspace_id = $1 and firmware_id is not distinct from $2::uuid;

-- server/src/features/licences/store.ts replaceRules
insert into licence_rules (workspace_id, firmware_id, allow, deny, review, fail_on, id)
values ($1, $2, $3, $4, $5, $6, $7);
