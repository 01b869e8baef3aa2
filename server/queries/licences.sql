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

-- server/src/features/licences/kept-store.ts listFirmwareIds
select id, firmware_id from firmware_versions where workspace_id = $1 and id = any($2::uuid[]);

-- server/src/features/licences/kept-store.ts listStated
select key, licenses, is_spdx from workspace_licences where workspace_id = $1;

-- server/src/features/licences/store.ts findRules
select allow, deny, review, fail_on
from licence_rules
where workspace_id = $1 and firmware_id is not distinct from $2::uuid;

-- server/src/features/licences/store.ts listLicencesOfVersions
select distinct version.firmware_id, component.licenses,
  coalesce(sbom.format like 'Spdx%', false) as is_spdx
from firmware_versions as version
join sboms as sbom on sbom.workspace_id = version.workspace_id
  and sbom.firmware_version_id = version.id
join sbom_components as component on component.workspace_id = sbom.workspace_id
  and component.sbom_id = sbom.id
where version.workspace_id = $1 and sbom.parsing_state = 'Succeeded'
  and (component.scope is null or component.scope <> all($2::text[]))
  and ($3 or version.firmware_id = any($4::uuid[])) and ($5 or version.id = any($6::uuid[]));

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
where workspace_id = $1 and (firmware_id is null or firmware_id = any($2::uuid[]));

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
