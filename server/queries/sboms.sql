-- Statements as the tests execute them. Written by `npm run queries` (docs/decisions/0020-collected-queries.md).

-- server/src/features/sboms/checking/service.ts inRolledBack: not executed by tests

-- server/src/features/sboms/checks-store.ts listForgotten
select id
from sboms
where workspace_id = $1 and parsing_state = $2 and staged_statements is null
order by id;

-- server/src/features/sboms/checks-store.ts listSbomFiles
select id, firmware_version_id, file_name, size_bytes, sha256
from sboms
where workspace_id = $1
order by id;

-- server/src/features/sboms/failures/store.ts countFailing
select (count(*) filter (where not (failure ->> 'isGivenUp')::boolean))::int as failing,
  (count(*) filter (where (failure ->> 'isGivenUp')::boolean))::int as given_up
from sboms
where failure is not null;

-- server/src/features/sboms/failures/store.ts listGivenUp
select id, file_name, (failure ->> 'attempts')::int as attempts, true as is_given_up,
  failure ->> 'reason' as reason, failure ->> 'failedAt' as failed_at
from sboms
where workspace_id = $1 and failure is not null and (failure ->> 'isGivenUp')::boolean
order by id;

-- server/src/features/sboms/failures/store.ts listUnmatchedSboms
select workspace_id, id as sbom_id
from sboms
where parsing_state = 'Succeeded' and vulnerabilities_parsed_at is null and parsed_at < $1
order by workspace_id, id;

-- server/src/features/sboms/failures/store.ts updateSbomAsGivenUp
update sboms
set failure = failure || '{"isGivenUp": true}'
where workspace_id = $1 and id = $2
  and (
    parsing_state = 'InProgress'
      or (parsing_state = 'Succeeded' and vulnerabilities_parsed_at is null)
  );

-- server/src/features/sboms/failures/store.ts updateSbomFailure
update sboms
set failure = json_build_object(
  'attempts', $1::int, 'isGivenUp', false, 'reason', $2::text, 'failedAt', $3::text
)::jsonb
where workspace_id = $4 and id = $5
  and (
    parsing_state = 'InProgress'
      or (parsing_state = 'Succeeded' and vulnerabilities_parsed_at is null)
  ) and coalesce((failure ->> 'attempts')::int, 0) < $6;

-- server/src/features/sboms/package-overrides/store.ts deleteOverride
delete from package_overrides where workspace_id = $1 and id = $2;

-- server/src/features/sboms/package-overrides/store.ts findOverride
select id, selected_purl, selected_cpe, selected_name, selected_version, purls, cpes, version,
  ignored, reason, made_for, any_version, created_at, created_by_email, updated_at,
  (
    select count(*)::int
    from sbom_components as component
    where component.workspace_id = $1 and component.override_id = package_overrides.id
  ) as component_count
from package_overrides
where workspace_id = $2 and id = $3;

-- server/src/features/sboms/package-overrides/store.ts findSelector
select id from package_overrides where workspace_id = $1 and selector_hash = $2;

-- server/src/features/sboms/package-overrides/store.ts insertOverride
insert into package_overrides (
  workspace_id, id, created_by_email, selected_purl, selected_cpe, selected_name, selected_version,
    selector_hash, purls, cpes, version, ignored, reason, any_version, made_for, updated_at,
    created_at
)
values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17);

-- server/src/features/sboms/package-overrides/store.ts listDeclaredAlike
select component.vendor, component.package_name, component.version, component.purl, component.cpes,
  component.download_location, component.addresses, component.scope, component.built_from,
  component.package_id, component.override_id, component.not_matched_reason,
  coalesce(
    component.version, substring(component.purl from '@([^@?#/]+)(?:[?#]|$)'),
      component.built_from ->> 'version', ''
  ) as declared_version, array_agg(sbom.firmware_version_id) as firmware_version_ids
from sbom_components as component
join sboms as sbom on sbom.workspace_id = component.workspace_id and sbom.id = component.sbom_id
where component.workspace_id = $1 and sbom.parsing_state = 'Succeeded'
  and (component.override_id = $2 or false)
group by component.vendor, component.package_name, component.version, component.purl,
  component.cpes, component.download_location, component.addresses, component.scope,
  component.built_from, component.package_id, component.override_id, component.not_matched_reason
order by component.package_name collate "C", component.version collate "C", component.package_id;

-- server/src/features/sboms/package-overrides/store.ts listDeclaredAlike
select component.vendor, component.package_name, component.version, component.purl, component.cpes,
  component.download_location, component.addresses, component.scope, component.built_from,
  component.package_id, component.override_id, component.not_matched_reason,
  coalesce(
    component.version, substring(component.purl from '@([^@?#/]+)(?:[?#]|$)'),
      component.built_from ->> 'version', ''
  ) as declared_version, array_agg(sbom.firmware_version_id) as firmware_version_ids
from sbom_components as component
join sboms as sbom on sbom.workspace_id = component.workspace_id and sbom.id = component.sbom_id
where component.workspace_id = $1 and sbom.parsing_state = 'Succeeded'
  and (false or (component.selector_keys && $2::integer[]))
group by component.vendor, component.package_name, component.version, component.purl,
  component.cpes, component.download_location, component.addresses, component.scope,
  component.built_from, component.package_id, component.override_id, component.not_matched_reason
order by component.package_name collate "C", component.version collate "C", component.package_id;

-- server/src/features/sboms/package-overrides/store.ts listDeclaredAlike
select component.vendor, component.package_name, component.version, component.purl, component.cpes,
  component.download_location, component.addresses, component.scope, component.built_from,
  component.package_id, component.override_id, component.not_matched_reason,
  coalesce(
    component.version, substring(component.purl from '@([^@?#/]+)(?:[?#]|$)'),
      component.built_from ->> 'version', ''
  ) as declared_version, array_agg(sbom.firmware_version_id) as firmware_version_ids
from sbom_components as component
join sboms as sbom on sbom.workspace_id = component.workspace_id and sbom.id = component.sbom_id
where component.workspace_id = $1 and sbom.parsing_state = 'Succeeded'
  and (false or (component.package_name collate "C" = any($2::text[])))
group by component.vendor, component.package_name, component.version, component.purl,
  component.cpes, component.download_location, component.addresses, component.scope,
  component.built_from, component.package_id, component.override_id, component.not_matched_reason
order by component.package_name collate "C", component.version collate "C", component.package_id;

-- server/src/features/sboms/package-overrides/store.ts listDeclaredAlike
select component.vendor, component.package_name, component.version, component.purl, component.cpes,
  component.download_location, component.addresses, component.scope, component.built_from,
  component.package_id, component.override_id, component.not_matched_reason,
  coalesce(
    component.version, substring(component.purl from '@([^@?#/]+)(?:[?#]|$)'),
      component.built_from ->> 'version', ''
  ) as declared_version, array_agg(sbom.firmware_version_id) as firmware_version_ids
from sbom_components as component
join sboms as sbom on sbom.workspace_id = component.workspace_id and sbom.id = component.sbom_id
where component.workspace_id = $1 and sbom.parsing_state = 'Succeeded'
  and (component.override_id = $2 or (component.package_name collate "C" = any($3::text[])))
group by component.vendor, component.package_name, component.version, component.purl,
  component.cpes, component.download_location, component.addresses, component.scope,
  component.built_from, component.package_id, component.override_id, component.not_matched_reason
order by component.package_name collate "C", component.version collate "C", component.package_id;

-- server/src/features/sboms/package-overrides/store.ts listOverrides
select id, selected_purl, selected_cpe, selected_name, selected_version, purls, cpes, version,
  ignored, reason, made_for, any_version, created_at, created_by_email, updated_at,
  (
    select count(*)::int
    from sbom_components as component
    where component.workspace_id = $1 and component.override_id = package_overrides.id
  ) as component_count
from package_overrides
where workspace_id = $2
order by created_at, id;

-- server/src/features/sboms/package-overrides/store.ts listOverrides
select id, selected_purl, selected_cpe, selected_name, selected_version, purls, cpes, version,
  ignored, reason, made_for, any_version, created_at, created_by_email, updated_at,
  (
    select count(*)::int
    from sbom_components as component
    where component.workspace_id = $1 and component.override_id = package_overrides.id
      and component.sbom_id in (
        select id from sboms where workspace_id = $2 and firmware_version_id = $3
      )
  ) as component_count
from package_overrides
where workspace_id = $4
order by created_at, id;

-- server/src/features/sboms/package-overrides/store.ts listUnapplied
select component.vendor, component.package_name, component.version, component.purl, component.cpes,
  component.download_location, component.addresses, component.scope, component.built_from,
  coalesce(
    component.version, substring(component.purl from '@([^@?#/]+)(?:[?#]|$)'),
      component.built_from ->> 'version', ''
  ) as declared_version, count(*)::int as component_count
from sbom_components as component
where component.workspace_id = $1 and component.override_id is null
  and (component.selector_keys && $2::integer[])
group by component.vendor, component.package_name, component.version, component.purl,
  component.cpes, component.download_location, component.addresses, component.scope,
  component.built_from;

-- server/src/features/sboms/package-overrides/store.ts listUnapplied
select component.vendor, component.package_name, component.version, component.purl, component.cpes,
  component.download_location, component.addresses, component.scope, component.built_from,
  coalesce(
    component.version, substring(component.purl from '@([^@?#/]+)(?:[?#]|$)'),
      component.built_from ->> 'version', ''
  ) as declared_version, count(*)::int as component_count
from sbom_components as component
where component.workspace_id = $1 and component.override_id is null
  and (component.package_name collate "C" = any($2::text[]))
group by component.vendor, component.package_name, component.version, component.purl,
  component.cpes, component.download_location, component.addresses, component.scope,
  component.built_from;

-- server/src/features/sboms/package-overrides/store.ts listUnapplied
select component.vendor, component.package_name, component.version, component.purl, component.cpes,
  component.download_location, component.addresses, component.scope, component.built_from,
  coalesce(
    component.version, substring(component.purl from '@([^@?#/]+)(?:[?#]|$)'),
      component.built_from ->> 'version', ''
  ) as declared_version, count(*)::int as component_count
from sbom_components as component
where component.workspace_id = $1 and component.override_id is null
  and component.sbom_id in (
    select id from sboms where workspace_id = $2 and firmware_version_id = $3
  ) and (component.selector_keys && $4::integer[])
group by component.vendor, component.package_name, component.version, component.purl,
  component.cpes, component.download_location, component.addresses, component.scope,
  component.built_from;

-- server/src/features/sboms/package-overrides/store.ts listUnapplied
select component.vendor, component.package_name, component.version, component.purl, component.cpes,
  component.download_location, component.addresses, component.scope, component.built_from,
  coalesce(
    component.version, substring(component.purl from '@([^@?#/]+)(?:[?#]|$)'),
      component.built_from ->> 'version', ''
  ) as declared_version, count(*)::int as component_count
from sbom_components as component
where component.workspace_id = $1 and component.override_id is null
  and component.sbom_id in (
    select id from sboms where workspace_id = $2 and firmware_version_id = $3
  ) and (component.package_name collate "C" = any($4::text[]))
group by component.vendor, component.package_name, component.version, component.purl,
  component.cpes, component.download_location, component.addresses, component.scope,
  component.built_from;

-- server/src/features/sboms/package-overrides/store.ts lockOverrides
select revision from package_override_revisions where workspace_id = $1 for share;

-- server/src/features/sboms/package-overrides/store.ts lockOverrides
insert into package_override_revisions (workspace_id, revision)
values ($1, $2)
on conflict (workspace_id)
do nothing;

-- server/src/features/sboms/package-overrides/store.ts raiseRevision
insert into package_override_revisions (workspace_id, revision)
values ($1, $2)
on conflict (workspace_id)
do update
set revision = package_override_revisions.revision + $3;

-- server/src/features/sboms/package-overrides/store.ts readOverrides
select revision from package_override_revisions where workspace_id = $1;

-- server/src/features/sboms/package-overrides/store.ts readOverrides
select id, selected_purl, selected_cpe, selected_name, selected_version, purls, cpes, version,
  ignored, reason, made_for, any_version
from package_overrides
where workspace_id = $1
order by id;

-- server/src/features/sboms/package-overrides/store.ts updateMadeFor
update package_overrides as override
set made_for = met.versions
from (
  select component.override_id,
    array_agg(
      distinct coalesce(
        component.version, substring(component.purl from '@([^@?#/]+)(?:[?#]|$)'),
          component.built_from ->> 'version', ''
      )
    ) as versions
  from package_overrides as unmet
  join sbom_components as component on component.workspace_id = unmet.workspace_id
    and component.override_id = unmet.id
  where unmet.workspace_id = $1 and unmet.made_for is null and not unmet.any_version
    and unmet.version is not null and unmet.selected_version is null
  group by component.override_id
) as met
where override.workspace_id = $2 and override.id = met.override_id;

-- server/src/features/sboms/package-overrides/store.ts updateOverride
update package_overrides
set selected_purl = $1, selected_cpe = $2, selected_name = $3, selected_version = $4,
  selector_hash = $5, purls = $6, cpes = $7, version = $8, ignored = $9, reason = $10,
  any_version = $11, made_for = $12, updated_at = $13
where workspace_id = $14 and id = $15;

-- server/src/features/sboms/parsing/store.ts deleteComponentsFrom
delete from sbom_components where workspace_id = $1 and sbom_id = $2 and node >= $3;

-- server/src/features/sboms/parsing/store.ts deleteGraphNodes
delete from sbom_graph_nodes where workspace_id = $1 and sbom_id = $2;

-- server/src/features/sboms/parsing/store.ts insertComponents
insert into sbom_components (
  workspace_id, sbom_id, node, id, vendor, package_name, version, purl, cpes, licenses, hashes,
    supplier, download_location, scope, package_id, source_name, not_matched_reason, built_from,
    override_id, ref, addresses, selector_keys
)
select $1, $2, node, id, vendor, "packageName", version, purl,
  array(select jsonb_array_elements_text(cpes)), array(select jsonb_array_elements_text(licenses)),
  hashes, supplier, "downloadLocation", scope, "packageId", "sourceName", "notMatchedReason",
  "builtFrom", "overrideId", ref, array(select jsonb_array_elements_text(addresses)),
  array(select jsonb_array_elements_text("selectorKeys")::integer)
from json_to_recordset($3::json) as input (
  node integer, id uuid, vendor text, "packageName" text, version text, purl text, cpes jsonb,
    licenses jsonb, hashes jsonb, supplier text, "downloadLocation" text, scope text,
    "packageId" uuid, "sourceName" text, "notMatchedReason" text, "builtFrom" jsonb,
    "overrideId" uuid, ref text, addresses jsonb, "selectorKeys" jsonb
)
on conflict (workspace_id, sbom_id, node)
do update
set id = case
  when (sbom_components.package_name, sbom_components.version, sbom_components.purl) is not distinct
  from (excluded.package_name, excluded.version, excluded.purl) then sbom_components.id
  else excluded.id end, vendor = excluded.vendor, package_name = excluded.package_name,
  version = excluded.version, purl = excluded.purl, cpes = excluded.cpes,
  licenses = excluded.licenses, hashes = excluded.hashes, supplier = excluded.supplier,
  download_location = excluded.download_location, scope = excluded.scope,
  package_id = excluded.package_id, source_name = excluded.source_name,
  not_matched_reason = excluded.not_matched_reason, built_from = excluded.built_from,
  override_id = excluded.override_id, ref = excluded.ref, addresses = excluded.addresses,
  selector_keys = excluded.selector_keys;

-- server/src/features/sboms/parsing/store.ts insertGraphNodes
insert into sbom_graph_nodes (workspace_id, sbom_id, node, label, parents, next, distance)
select $1, $2, node, label,
  array(select value::integer from jsonb_array_elements_text(parents) as value), next, distance
from json_to_recordset($3::json) as input (
  node integer, label text, parents jsonb, next integer, distance integer
);

-- server/src/features/sboms/parsing/store.ts insertPackages
with input as (
  select * from json_to_recordset($1::json) as input (id uuid, identity jsonb, keys jsonb)
),
  inserted as (
    insert into packages (id, identity, created_at)
    select id, identity, $2
    from input
    order by id
    on conflict (id)
    do nothing
    returning id
  )
insert into package_keys (key, package_id)
select key, inserted.id
from inserted
join input using (id), jsonb_array_elements_text(input.keys) as key
order by inserted.id, key;

-- server/src/features/sboms/parsing/store.ts limitStatements
select set_config('statement_timeout', $1, true);

-- server/src/features/sboms/parsing/store.ts listLinkableSboms
select id, format, has_external_references, parsing_state, file_name, namespace, upload_number,
  replaces as replaces, staged_statements is not null as is_staged
from sboms
where workspace_id = $1 and firmware_version_id = $2
order by id;

-- server/src/features/sboms/parsing/store.ts updateComponentPackages
update sbom_components as component
set scope = input.scope, package_id = input."packageId", source_name = input."sourceName",
  not_matched_reason = input."notMatchedReason", built_from = input."builtFrom",
  override_id = input."overrideId",
  selector_keys = array(select jsonb_array_elements_text(input."selectorKeys")::integer)
from json_to_recordset($1::json) as input (
  node integer, scope text, "packageId" uuid, "sourceName" text, "notMatchedReason" text,
    "builtFrom" jsonb, "overrideId" uuid, "selectorKeys" jsonb
)
where component.workspace_id = $2 and component.sbom_id = $3 and component.node = input.node
  and (
    component.scope, component.package_id, component.source_name, component.not_matched_reason,
      component.built_from, component.override_id
  ) is distinct from (
    input.scope, input."packageId", input."sourceName", input."notMatchedReason", input."builtFrom",
      input."overrideId"
  );

-- server/src/features/sboms/parsing/store.ts updateNotMatched
with locked as materialized (
  select id
  from sboms
  where workspace_id = $1 and id = any($2::uuid[])
  order by id
  for no key update
)
update sboms as sbom
set not_matched = coalesce(
  (
    select jsonb_object_agg(reason, amount)
    from (
      select regexp_replace(component.not_matched_reason, '^(invalid identifier|ignored).*$', '\1')
        as reason, count(*) as amount
      from sbom_components as component
      where component.workspace_id = $3 and component.sbom_id = sbom.id
        and component.not_matched_reason is not null
      group by 1
    ) as reasons
  ), '{}'
)
where sbom.workspace_id = $4 and sbom.id in (select id from locked);

-- server/src/features/sboms/parsing/store.ts updateSbomAsFailed
update sboms
set parsing_state = $1, parsing_error = $2::text || case when replaces is null then ''
  else ' What it was to replace stays.' end, parsed_at = $3, failure = $4
where workspace_id = $5 and id = $6 and parsing_state = $7;

-- server/src/features/sboms/parsing/store.ts updateSbomAsSucceeded
update sboms
set parsing_state = $1, parsing_error = $2, failure = $3, parsed_at = $4, parser_version = $5,
  identity_version = $6, format = $7, spec_version = $8, warnings = $9, component_count = $10,
  has_external_references = $11, namespace = $12, content_digest = $13, described_hashes = $14,
  grades = $15
where workspace_id = $16 and id = $17;

-- server/src/features/sboms/parsing/store.ts updateSbomWithWarning
update sboms
set parser_version = $1, warnings = array_append(array_remove(warnings, $2), $3)
where workspace_id = $4 and id = $5 and parsing_state = $6;

-- server/src/features/sboms/reidentification/store.ts listOutdatedWorkspaces
select distinct workspace_id
from sboms
where parsing_state = $1 and (parser_version < $2 or identity_version < $3)
order by workspace_id;

-- server/src/features/sboms/reidentification/store.ts listSbomsOfOlderParsers
select id
from sboms
where workspace_id = $1 and parsing_state = $2 and parser_version < $3
order by firmware_version_id, id;

-- server/src/features/sboms/reidentification/store.ts listSelectedWorkspaces
select distinct workspace_id from sboms where workspace_id = $1 order by workspace_id;

-- server/src/features/sboms/reidentification/store.ts listSelectedWorkspaces
select distinct workspace_id from sboms where firmware_version_id = $1 order by workspace_id;

-- server/src/features/sboms/reidentification/store.ts listSelectedWorkspaces
select distinct workspace_id
from sboms
where workspace_id = $1 and firmware_version_id = $2
order by workspace_id;

-- server/src/features/sboms/reidentification/store.ts listVersionsWithCandidates: the shortest and the longest of many variants
--   207aad3e 6a1ab725 79364c17 92f0ab2a d048e348
select distinct sbom.firmware_version_id as id
from sboms as sbom
where sbom.workspace_id = $1 and sbom.parsing_state = 'Succeeded' and sbom.identity_version < $2
order by id;

with selected as materialized (
  select component.sbom_id
  from sbom_components as component
  where component.workspace_id = $1
    and (
      component.override_id is not null
        or (
          component.package_name collate "C" = any($2::text[])
            or component.selector_keys && $3::integer[]
        )
    )
)
select distinct sbom.firmware_version_id as id
from sboms as sbom
where sbom.workspace_id = $4 and sbom.parsing_state = 'Succeeded'
  and sbom.id in (select selected.sbom_id from selected)
order by id;

-- server/src/features/sboms/reidentification/store.ts readCandidates: the shortest and the longest of many variants
--   6a8ba107 883c9501 9e5a5df0 c9249de8 efd99ecb
select component.sbom_id, component.node, component.id, component.vendor, component.package_name,
  component.version, component.purl, component.cpes, component.download_location,
  component.addresses, component.scope, component.built_from as built_from, component.package_id,
  component.source_name, component.not_matched_reason, component.override_id
from sboms as sbom
inner join sbom_components as component on component.workspace_id = sbom.workspace_id
  and component.sbom_id = sbom.id
where sbom.workspace_id = $1 and sbom.firmware_version_id = $2 and sbom.parsing_state = $3
  and sbom.identity_version < $4 and (component.sbom_id, component.node) > ($5, $6)
order by component.sbom_id, component.node
limit $7;

select component.sbom_id, component.node, component.id, component.vendor, component.package_name,
  component.version, component.purl, component.cpes, component.download_location,
  component.addresses, component.scope, component.built_from as built_from, component.package_id,
  component.source_name, component.not_matched_reason, component.override_id
from sboms as sbom
inner join sbom_components as component on component.workspace_id = sbom.workspace_id
  and component.sbom_id = sbom.id
where sbom.workspace_id = $1 and sbom.firmware_version_id = $2 and sbom.parsing_state = $3
  and (
    component.override_id is not null
      or (
        component.package_name collate "C" = any($4::text[])
          or component.selector_keys && $5::integer[]
      )
  ) and (component.sbom_id, component.node) > ($6, $7)
order by component.sbom_id, component.node
limit $8;

-- server/src/features/sboms/reidentification/store.ts updateIdentities
update sbom_components as component
set package_id = input."packageId", source_name = input."sourceName",
  not_matched_reason = input."notMatchedReason", override_id = input."overrideId"
from json_to_recordset($1::json) as input (
  "sbomId" uuid, node integer, id uuid, "builtFrom" jsonb, "packageId" uuid, "sourceName" text,
    "notMatchedReason" text, "overrideId" uuid, "oldPackageId" uuid, "oldOverrideId" uuid
)
where component.workspace_id = $2 and component.sbom_id = input."sbomId"
  and component.node = input.node and component.id = input.id
  and (component.built_from, component.package_id, component.override_id) is not distinct from (
    input."builtFrom", input."oldPackageId", input."oldOverrideId"
  );

-- server/src/features/sboms/reidentification/store.ts updateIdentityVersion
with locked as materialized (
  select id
  from sboms
  where workspace_id = $1 and firmware_version_id = $2 and parsing_state = 'Succeeded'
    and identity_version < $3
  order by id
  for no key update
)
update sboms
set identity_version = $4
where workspace_id = $5 and id in (select id from locked);

-- server/src/features/sboms/reidentification/store.ts updateSbomsAsOutdated
with locked as materialized (
  select id
  from sboms
  where workspace_id = $1 and parsing_state <> 'InProgress'
    and ($2::uuid is null or firmware_version_id = $3)
  order by id
  for no key update
)
update sboms
set parser_version = case when parsing_state = 'Succeeded' then 0 else parser_version end,
  parsing_state = case when parsing_state = 'Failed' then 'InProgress' else parsing_state end,
  parsing_error = null
where workspace_id = $4 and id in (select id from locked)
returning id, parsing_state;

-- server/src/features/sboms/replacement/store.ts archiveSboms
delete from sboms where workspace_id = $1 and id = any($2::uuid[]);

-- server/src/features/sboms/replacement/store.ts archiveSboms
insert into replaced_sboms (
  workspace_id, id, firmware_version_id, file_name, format, spec_version, parsing_state,
    component_count, size_bytes, sha256, created_at, grades, replaced_at, replaced_by
)
select sbom.workspace_id, sbom.id, sbom.firmware_version_id, sbom.file_name, sbom.format,
  sbom.spec_version, sbom.parsing_state, sbom.component_count, sbom.size_bytes, sbom.sha256,
  sbom.created_at, sbom.grades, $1::timestamptz, pair.replaced_by
from sboms as sbom
join unnest($2::uuid[], $3::uuid[]) as pair (id, replaced_by) on pair.id = sbom.id
where sbom.workspace_id = $4;

-- server/src/features/sboms/replacement/store.ts deleteExpired
delete from replaced_sboms
where workspace_id = $1
  and id in (
    select id
    from replaced_sboms
    where workspace_id = $2
      and replaced_at <= $3::timestamptz - make_interval(
        days => (select replaced_sbom_days from workspaces where id = $4)
      ) and firmware_version_id <> all($5::uuid[])
    order by id
    limit $6
  )
returning id, firmware_version_id, size_bytes;

-- server/src/features/sboms/replacement/store.ts deleteReplaced
delete from replaced_sboms where workspace_id = $1 and id = $2;

-- server/src/features/sboms/replacement/store.ts failStaged
delete from sbom_components where workspace_id = $1 and sbom_id = any($2::uuid[]);

-- server/src/features/sboms/replacement/store.ts failStaged
update sboms
set parsing_state = $1, parsing_error = $2, staged_statements = $3, component_count = $4
where workspace_id = $5 and id = any($6::uuid[]);

-- server/src/features/sboms/replacement/store.ts findReplaced
select id, firmware_version_id, file_name, format, parsing_state, size_bytes, sha256,
  false as has_external_references
from replaced_sboms
where workspace_id = $1 and id = $2;

-- server/src/features/sboms/replacement/store.ts listReplaced
select id, file_name, format, spec_version, component_count, size_bytes, sha256, created_at,
  replaced_at, replaced_by as replaced_by_id,
  replaced_at + make_interval(
    days => (
      select replaced_sbom_days from workspaces where workspaces.id = replaced_sboms.workspace_id
    )
  ) as kept_until
from replaced_sboms
where workspace_id = $1 and firmware_version_id = $2
order by replaced_at desc, id desc;

-- server/src/features/sboms/replacement/store.ts listReplacedFiles
select id, firmware_version_id, file_name, size_bytes, sha256
from replaced_sboms
where workspace_id = $1
order by id;

-- server/src/features/sboms/replacement/store.ts listSbomsOfVersion
select id, file_name, namespace, upload_number, parsing_state, component_count, size_bytes, sha256,
  created_at, replaces as replaces, staged_statements is not null as is_staged
from sboms
where workspace_id = $1 and firmware_version_id = $2
order by upload_number, created_at, id;

-- server/src/features/sboms/replacement/store.ts releaseStaged
with staged as (
  select id, staged_statements
  from sboms
  where workspace_id = $1 and id = any($2::uuid[])
  for no key update
)
update sboms as sbom
set parsing_state = 'Succeeded', staged_statements = null
from staged
where sbom.workspace_id = $3 and sbom.id = staged.id
returning sbom.id as sbom_id, staged.staged_statements as statements;

-- server/src/features/sboms/replacement/store.ts stageSbom
update sboms set parsing_state = $1, staged_statements = $2 where workspace_id = $3 and id = $4;

-- server/src/features/sboms/source-files/store.ts deleteDeclaredLists
delete from source_file_lists where workspace_id = $1 and sbom_id in ($2) and component_id is null;

-- server/src/features/sboms/source-files/store.ts deleteUploadedList
delete from source_file_lists
where workspace_id = $1 and sbom_id = $2 and component_id = $3
returning cardinality(files) as file_count;

-- server/src/features/sboms/source-files/store.ts findComponent
select node, package_id from sbom_components where workspace_id = $1 and sbom_id = $2 and id = $3;

-- server/src/features/sboms/source-files/store.ts haveDeclaredLists
select id
from source_file_lists
where workspace_id = $1 and sbom_id in ($2) and component_id is null
limit $3;

-- server/src/features/sboms/source-files/store.ts insertDeclaredLists
insert into source_file_lists (workspace_id, sbom_id, id, nodes, files, keys, created_at)
values ($1, $2, $3, $4, $5, $6, $7);

-- server/src/features/sboms/source-files/store.ts listSourceFiles
select files
from source_file_lists
where workspace_id = $1 and sbom_id = $2 and cardinality(files) > 0
  and (component_id = $3 or (component_id is null and $4 = any(nodes)))
order by component_id is null
limit $5;

-- server/src/features/sboms/source-files/store.ts upsertUploadedList
insert into source_file_lists (
  workspace_id, sbom_id, id, component_id, nodes, files, keys, created_at
)
values ($1, $2, $3, $4, $5, $6, $7, $8)
on conflict (workspace_id, sbom_id, component_id)
where component_id is not null
do update
set nodes = $9, files = $10, keys = $11, created_at = $12;

-- server/src/features/sboms/store.ts countWaiting
select count(*)::int as files, coalesce(sum(size_bytes), 0)::float8 as bytes
from sboms
where workspace_id = $1 and parsing_state = 'InProgress';

-- server/src/features/sboms/store.ts deleteSbom
delete from sboms where workspace_id = $1 and id = $2;

-- server/src/features/sboms/store.ts findSbom
select id, firmware_version_id, file_name, format, parsing_state, size_bytes, sha256,
  has_external_references, replaces as replaces, staged_statements is not null as is_staged
from sboms
where workspace_id = $1 and id = $2;

-- server/src/features/sboms/store.ts insertSbom
select id, parsing_state
from sboms
where workspace_id = $1 and firmware_version_id = $2 and sha256 = $3;

-- server/src/features/sboms/store.ts insertSbom
insert into sboms (
  workspace_id, firmware_version_id, id, file_name, size_bytes, sha256, created_at, upload_number,
    replaces, parsing_state
)
values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)
on conflict (workspace_id, firmware_version_id, sha256)
do nothing
returning id, parsing_state;

-- server/src/features/sboms/store.ts insertSbom
insert into sboms (
  workspace_id, id, firmware_version_id, file_name, size_bytes, sha256, created_at, upload_number,
    replaces, parsing_state
)
values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)
on conflict (workspace_id, firmware_version_id, sha256)
do nothing
returning id, parsing_state;

-- server/src/features/sboms/store.ts listNames
select id, file_name from sboms where workspace_id = $1 and firmware_version_id = $2;

-- server/src/features/sboms/store.ts listSboms
select id, file_name, format, spec_version, parsing_state, parsing_error, warnings, component_count,
  size_bytes, sha256, created_at, vulnerabilities_parsed_at, not_matched as not_matched,
  replaces as replaces, failure as failure
from sboms
where workspace_id = $1 and firmware_version_id = $2
order by created_at, id;

-- server/src/features/sboms/store.ts lockUploadNumbers
select pg_advisory_xact_lock(hashtextextended($1, 0));

-- server/src/features/sboms/store.ts updateEvaluatedSboms
update sboms as sbom
set vulnerabilities_parsed_at = $1, failure = $2
where sbom.workspace_id = $3 and sbom.firmware_version_id = $4 and sbom.parsing_state = $5
  and sbom.vulnerabilities_parsed_at is null
  and not exists (
    select
    from sbom_components as component
    inner join packages as package on package.id = component.package_id
    where component.workspace_id = $6 and component.sbom_id = sbom.id and package.matched_at is null
  );

-- server/src/features/sboms/store.ts updateSbomAsInProgress
update sboms
set parsing_state = $1, parsing_error = $2, failure = $3
where workspace_id = $4 and id = $5;

-- server/src/features/sboms/store.ts updateUpload
update sboms set file_name = $1, replaces = $2 where workspace_id = $3 and id = $4;

-- server/src/features/sboms/store.ts updateUploadNumber
update sboms
set upload_number = last.number + 1
from (
  select coalesce(max(upload_number), 0) as number
  from sboms
  where workspace_id = $1 and firmware_version_id = $2
) as last
where workspace_id = $3 and id = any($4::uuid[]);
