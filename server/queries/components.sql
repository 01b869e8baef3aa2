-- Statements as the tests execute them. Written by `npm run queries` (docs/decisions/0020-collected-queries.md).

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
--   1339b5cd 36a835ef 3b78df02 506dbbda 55b79ea5 5b3d77bd 77e3a3e2 7a25e1c9 885beabe 9d5ad991
--   9ec96a8d 9f50ae0a bdf0e821 c653b253 d9aa15c0 e37f648d f71d0c40 fc0eda2e
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
  )
  and member.package_name collate "C" = any(
    array(select name from names where (strpos(lower(name), $10) > 0))
  )
order by member.package_name collate "C", member.sbom_id, member.node
limit $11;
