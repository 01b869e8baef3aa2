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
--   026f5417 0b73893e 0cb0abf1 172895b8 1768a51c 1a284456 1ce05262 22acd86d 2c12ee36 2cf40f7a
--   308ad49c 37633a9f 3c5e950f 3e17f70e 444d1ce5 5b99e853 7d266042 8234844a 8234b14d 8688c169
--   8e433f12 978ecbf7 9d7719f7 a141e558 b20fd851 c2b9d748 c3c081ea c83e7a5d d3807340 d8f4f66d
--   dde5334a e1f925ca f9f719e5
with recursive names as (select null)
select member.id, member.package_name, member.vendor, member.version, member.purl, member.cpes,
  member.licenses, member.scope,
  coalesce(member.not_matched_reason, package.gap) as not_matched_reason, member.override_id,
  member.node, member.package_id, coalesce(sbom.format like 'Spdx%', false) as is_spdx,
  json_build_object('id', sbom.id, 'fileName', sbom.file_name) as sbom,
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

with recursive names as (select null),
  member as materialized (
    select member.*
    from workspace_packages as owned
    join sbom_components as member on member.workspace_id = owned.workspace_id
      and member.package_id = owned.package_id
    where owned.workspace_id = $1
      and owned.package_id in (
        select known.package_id
        from (
          select owned.package_id,
            coalesce(stated.label, concat_ws(' ', product.label, support.cycle)) as label, case
            when stated.package_id is null then cycle.ends_on else stated.ends_on end as ends_on,
            case when stated.package_id is null then cycle.has_ended
            when stated.ends_on is null then false end as has_ended
          from (select package_id from workspace_packages where workspace_id = $2) as owned
          left join package_support as support on support.package_id = owned.package_id
          left join support_products as product on product.name = support.product
          left join support_cycles as cycle on cycle.product = support.product
            and cycle.cycle = support.cycle
          left join (
            select distinct on (chosen.package_id) chosen.package_id,
              coalesce(statement.name, statement.purl) as label, statement.ends_on
            from support_statement_packages as chosen
            join support_statements as statement on statement.workspace_id = chosen.workspace_id
              and statement.id = chosen.statement_id
            where chosen.workspace_id = $3
            order by chosen.package_id, statement.created_at desc, statement.id
          ) as stated on stated.package_id = owned.package_id
          where stated.package_id is not null or support.package_id is not null
        ) as known
        where true and (known.ends_on > $4::date)
          and (known.ends_on < $5::date or (known.ends_on is null and known.has_ended))
      )
  )
select member.id, member.package_name, member.vendor, member.version, member.purl, member.cpes,
  member.licenses, member.scope,
  coalesce(member.not_matched_reason, package.gap) as not_matched_reason, member.override_id,
  member.node, member.package_id, coalesce(sbom.format like 'Spdx%', false) as is_spdx,
  json_build_object('id', sbom.id, 'fileName', sbom.file_name) as sbom,
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
  and true
  and member.package_id in (
    select known.package_id
    from (
      select owned.package_id,
        coalesce(stated.label, concat_ws(' ', product.label, support.cycle)) as label, case
        when stated.package_id is null then cycle.ends_on else stated.ends_on end as ends_on, case
        when stated.package_id is null then cycle.has_ended
        when stated.ends_on is null then false end as has_ended
      from (select package_id from workspace_packages where workspace_id = $8) as owned
      left join package_support as support on support.package_id = owned.package_id
      left join support_products as product on product.name = support.product
      left join support_cycles as cycle on cycle.product = support.product
        and cycle.cycle = support.cycle
      left join (
        select distinct on (chosen.package_id) chosen.package_id,
          coalesce(statement.name, statement.purl) as label, statement.ends_on
        from support_statement_packages as chosen
        join support_statements as statement on statement.workspace_id = chosen.workspace_id
          and statement.id = chosen.statement_id
        where chosen.workspace_id = $9
        order by chosen.package_id, statement.created_at desc, statement.id
      ) as stated on stated.package_id = owned.package_id
      where stated.package_id is not null or support.package_id is not null
    ) as known
    where true and (known.ends_on > $10::date)
      and (known.ends_on < $11::date or (known.ends_on is null and known.has_ended))
  )
order by member.package_name collate "C", member.sbom_id, member.node
limit $12;

-- server/src/features/components/workspace-list/support-store.ts countEndsOfVersion
with member as materialized (
  select member.package_id, count(*) as components
  from sboms as sbom
  join sbom_components as member on member.workspace_id = sbom.workspace_id
    and member.sbom_id = sbom.id
  where sbom.workspace_id = $1 and sbom.firmware_version_id = $2
    and sbom.parsing_state = 'Succeeded'
  group by member.package_id
)
select known.ends_on::text as ends_on, known.has_ended,
  sum(member.components)::int as component_count
from member
left join (
  select owned.package_id,
    coalesce(stated.label, concat_ws(' ', product.label, support.cycle)) as label, case
    when stated.package_id is null then cycle.ends_on else stated.ends_on end as ends_on, case
    when stated.package_id is null then cycle.has_ended
    when stated.ends_on is null then false end as has_ended
  from (select package_id from member where package_id is not null) as owned
  left join package_support as support on support.package_id = owned.package_id
  left join support_products as product on product.name = support.product
  left join support_cycles as cycle on cycle.product = support.product
    and cycle.cycle = support.cycle
  left join (
    select distinct on (chosen.package_id) chosen.package_id,
      coalesce(statement.name, statement.purl) as label, statement.ends_on
    from support_statement_packages as chosen
    join support_statements as statement on statement.workspace_id = chosen.workspace_id
      and statement.id = chosen.statement_id
    where chosen.workspace_id = $3
    order by chosen.package_id, statement.created_at desc, statement.id
  ) as stated on stated.package_id = owned.package_id
  where stated.package_id is not null or support.package_id is not null
) as known on known.package_id = member.package_id
group by known.ends_on, known.has_ended;

-- server/src/features/components/workspace-list/support-store.ts listKnownEnds
select known.package_id, known.label, known.ends_on::text as ends_on, known.has_ended
from (
  select owned.package_id,
    coalesce(stated.label, concat_ws(' ', product.label, support.cycle)) as label, case
    when stated.package_id is null then cycle.ends_on else stated.ends_on end as ends_on, case
    when stated.package_id is null then cycle.has_ended
    when stated.ends_on is null then false end as has_ended
  from (select unnest($1::uuid[]) as package_id) as owned
  left join package_support as support on support.package_id = owned.package_id
  left join support_products as product on product.name = support.product
  left join support_cycles as cycle on cycle.product = support.product
    and cycle.cycle = support.cycle
  left join (
    select distinct on (chosen.package_id) chosen.package_id,
      coalesce(statement.name, statement.purl) as label, statement.ends_on
    from support_statement_packages as chosen
    join support_statements as statement on statement.workspace_id = chosen.workspace_id
      and statement.id = chosen.statement_id
    where chosen.workspace_id = $2
    order by chosen.package_id, statement.created_at desc, statement.id
  ) as stated on stated.package_id = owned.package_id
  where stated.package_id is not null or support.package_id is not null
) as known;
