-- Statements as the tests execute them. Written by `npm run queries` (docs/decisions/0020-collected-queries.md).

-- server/src/features/components/declared-names-store.ts listDeclaredNames
with shown as materialized (
  select firmware_version_id, array_agg(package_id) as package_ids
  from unnest($1::uuid[], $2::uuid[]) as pair (firmware_version_id, package_id)
  group by firmware_version_id
)
select distinct on (shown.firmware_version_id, component.package_id) shown.firmware_version_id,
  component.package_id, component.package_name as component_name, component.source_name
from shown
cross join lateral (
  select sbom.id
  from sboms as sbom
  where sbom.workspace_id = $3 and sbom.firmware_version_id = shown.firmware_version_id
    and sbom.parsing_state = 'Succeeded'
  offset 0
) as sbom
cross join lateral (
  select one.package_id, one.package_name, one.source_name
  from sbom_components as one
  where one.workspace_id = $4 and one.sbom_id = sbom.id and one.package_id = any($5::uuid[])
  offset 0
) as component
where component.package_id = any(shown.package_ids)
order by shown.firmware_version_id, component.package_id, length(component.package_name),
  component.package_name collate "C";

-- server/src/features/components/store.ts findComponent
select component.id, component.sbom_id, component.node, sbom.file_name, component.vendor,
  component.package_name, component.version, component.purl, component.cpes,
  component.download_location, component.addresses, component.scope, component.package_id,
  component.built_from as built_from, component.override_id,
  coalesce(component.not_matched_reason, package.gap) as not_matched_reason
from sboms as sbom
inner join sbom_components as component on component.workspace_id = sbom.workspace_id
  and component.sbom_id = sbom.id
left join packages as package on package.id = component.package_id
where sbom.workspace_id = $1 and sbom.firmware_version_id = $2 and sbom.parsing_state = $3
  and component.id = $4;

-- server/src/features/components/store.ts listComponents
select component.node, component.id, component.vendor, component.package_name, component.version,
  component.purl, component.cpes, component.licenses, component.hashes, component.supplier,
  component.download_location, component.scope, component.override_id,
  coalesce(package.undecided, '{}') as undecided,
  coalesce(component.not_matched_reason, package.gap) as not_matched_reason
from sbom_components as component
left join packages as package on package.id = component.package_id
where component.workspace_id = $1 and component.sbom_id = $2 and component.node > $3
order by component.node
limit $4;

-- server/src/features/components/store.ts listComponents
select component.node, component.id, component.vendor, component.package_name, component.version,
  component.purl, component.cpes, component.licenses, component.hashes, component.supplier,
  component.download_location, component.scope, component.override_id,
  coalesce(package.undecided, '{}') as undecided,
  coalesce(component.not_matched_reason, package.gap) as not_matched_reason
from sbom_components as component
left join packages as package on package.id = component.package_id
where component.workspace_id = $1 and component.sbom_id = $2 and component.node > $3
  and (coalesce(component.not_matched_reason, package.gap) is not null) = $4
order by component.node
limit $5;

-- server/src/features/components/store.ts listComponents
select component.node, component.id, component.vendor, component.package_name, component.version,
  component.purl, component.cpes, component.licenses, component.hashes, component.supplier,
  component.download_location, component.scope, component.override_id,
  coalesce(package.undecided, '{}') as undecided,
  coalesce(component.not_matched_reason, package.gap) as not_matched_reason
from sbom_components as component
left join packages as package on package.id = component.package_id
where component.workspace_id = $1 and component.sbom_id = $2 and component.node > $3
  and (
    coalesce(component.not_matched_reason, package.gap) = any($4::text[])
      or starts_with(coalesce(component.not_matched_reason, package.gap), $5)
  )
order by component.node
limit $6;

-- server/src/features/components/store.ts listPathNodes
with recursive reached (sbom_id, node) as (
  select graph.sbom_id, unnest(array[graph.node] || graph.parents)
  from unnest($1::uuid[], $2::integer[]) as member (sbom_id, node)
  join sbom_graph_nodes as graph on graph.workspace_id = $3 and graph.sbom_id = member.sbom_id
    and graph.node = member.node
  union select graph.sbom_id, graph.next
  from reached
  join sbom_graph_nodes as graph on graph.workspace_id = $4 and graph.sbom_id = reached.sbom_id
    and graph.node = reached.node
  where graph.next is not null
)
select graph.sbom_id, graph.node, graph.label, graph.parents, graph.next, graph.distance
from reached
join sbom_graph_nodes as graph on graph.workspace_id = $5 and graph.sbom_id = reached.sbom_id
  and graph.node = reached.node;

-- server/src/features/components/store.ts readGraphs
select graph.sbom_id, graph.node, graph.label, graph.parents, graph.next, graph.distance
from sboms
inner join sbom_graph_nodes as graph on graph.workspace_id = sboms.workspace_id
  and graph.sbom_id = sboms.id
where sboms.workspace_id = $1 and sboms.firmware_version_id = $2 and sboms.parsing_state = $3;

-- server/src/features/components/store.ts readVersionComponents
declare version_components no scroll cursor for
select component.sbom_id, component.node, component.vendor, component.package_name,
  component.version, component.purl, component.cpes, component.licenses, component.hashes,
  component.supplier, component.download_location, component.scope,
  coalesce(component.not_matched_reason, package.gap) as not_matched_reason, component.override_id,
  component.package_id, coalesce(package.undecided, '{}') as undecided
from sboms as sbom
join sbom_components as component on component.workspace_id = sbom.workspace_id
  and component.sbom_id = sbom.id
left join packages as package on package.id = component.package_id
where sbom.workspace_id = $1 and sbom.firmware_version_id = $2 and sbom.parsing_state = 'Succeeded'
order by component.package_name collate "C", component.version collate "C",
  component.vendor collate "C", component.purl collate "C", component.cpes::text collate "C",
  component.licenses::text collate "C", component.hashes::text collate "C",
  component.supplier collate "C", component.download_location collate "C", component.scope,
  coalesce(component.not_matched_reason, package.gap), component.override_id, sbom.created_at,
  sbom.id, component.node;

-- server/src/features/components/workspace-list/store.ts listWorkspaceComponents: the shortest and the longest of many variants
--   044081c0 28882412 293b1704 2cddf21e 2ef3d1bf 3461cacc 39b24cac 61af90ba 86f94064 9a1a7d6c
--   a876c061 a94fc4da ad927f3e c621c5bf c82a9c9e cd468349 ea4607f1 ff63f484
with recursive names as (select null)
select member.id, member.package_name, member.vendor, member.version, member.purl, member.cpes,
  member.licenses, member.scope,
  coalesce(member.not_matched_reason, package.gap) as not_matched_reason, member.override_id,
  member.node, json_build_object('id', sbom.id, 'fileName', sbom.file_name) as sbom,
  json_build_object(
    'id', version.id, 'name', version.name, 'firmware',
      json_build_object('id', firmware.id, 'slug', firmware.slug, 'name', firmware.name)
  ) as firmware_version
from sbom_components as member
left join packages as package on package.id = member.package_id
join sboms as sbom on sbom.workspace_id = member.workspace_id and sbom.id = member.sbom_id
join firmware_versions as version on version.workspace_id = sbom.workspace_id
  and version.id = sbom.firmware_version_id
join firmwares as firmware on firmware.workspace_id = version.workspace_id
  and firmware.id = version.firmware_id
where member.workspace_id = $1 and sbom.parsing_state = 'Succeeded' and sbom.parsed_at <= $2
  and true
order by member.package_name collate "C", member.sbom_id, member.node
limit $3;

with recursive names (name) as (
  select min(member.package_name collate "C")
  from sbom_components as member
  where member.workspace_id = $1
  union all select (
    select member.package_name collate "C"
    from sbom_components as member
    where member.workspace_id = $2 and member.package_name collate "C" > names.name
    order by member.package_name collate "C"
    limit 1
  )
  from names
  where names.name is not null
),
  member as materialized (
    select member.*
    from sboms as sbom
    join sbom_components as member on member.workspace_id = sbom.workspace_id
      and member.sbom_id = sbom.id
    where sbom.workspace_id = $3
      and sbom.firmware_version_id in (
        select id from firmware_versions where workspace_id = $4 and firmware_id = any($5::uuid[])
      )
  )
select member.id, member.package_name, member.vendor, member.version, member.purl, member.cpes,
  member.licenses, member.scope,
  coalesce(member.not_matched_reason, package.gap) as not_matched_reason, member.override_id,
  member.node, json_build_object('id', sbom.id, 'fileName', sbom.file_name) as sbom,
  json_build_object(
    'id', version.id, 'name', version.name, 'firmware',
      json_build_object('id', firmware.id, 'slug', firmware.slug, 'name', firmware.name)
  ) as firmware_version
from member
left join packages as package on package.id = member.package_id
join sboms as sbom on sbom.workspace_id = member.workspace_id and sbom.id = member.sbom_id
join firmware_versions as version on version.workspace_id = sbom.workspace_id
  and version.id = sbom.firmware_version_id
join firmwares as firmware on firmware.workspace_id = version.workspace_id
  and firmware.id = version.firmware_id
where member.workspace_id = $6 and sbom.parsing_state = 'Succeeded' and sbom.parsed_at <= $7
  and sbom.firmware_version_id in (
    select id from firmware_versions where workspace_id = $8 and firmware_id = any($9::uuid[])
  ) and true
  and member.package_name collate "C" = any(
    array(select name from names where (strpos(lower(name), $10) > 0))
  )
order by member.package_name collate "C", member.sbom_id, member.node
limit $11;
