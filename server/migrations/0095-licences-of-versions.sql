-- What components state as their licences, so that rules are asked once for each statement and not once for each component (decision 81).

-- A row is what components of a workspace state or stated.
create table workspace_licences (
  workspace_id uuid not null references workspaces (id) on delete cascade,
  -- The MD5 of what is stated, which may be long.
  key text collate "C" not null,
  licenses text[] not null,
  is_spdx boolean not null,
  primary key (workspace_id, key)
);

-- A row says how many components of a firmware version that ship state the same. It follows from its SBOMs alone.
create table firmware_version_licences (
  workspace_id uuid not null,
  firmware_version_id uuid not null,
  key text collate "C" not null,
  component_count integer not null,
  primary key (workspace_id, firmware_version_id, key),
  foreign key (workspace_id, firmware_version_id) references firmware_versions (workspace_id, id) on delete cascade
);
create index firmware_version_licences_key on firmware_version_licences (workspace_id, key, firmware_version_id)
  include (component_count);

insert into workspace_licences (workspace_id, key, licenses, is_spdx)
select distinct sbom.workspace_id, md5(component.licenses::text || coalesce(sbom.format like 'Spdx%', false)), component.licenses,
  coalesce(sbom.format like 'Spdx%', false)
from sboms as sbom
join sbom_components as component on component.workspace_id = sbom.workspace_id and component.sbom_id = sbom.id
where sbom.parsing_state = 'Succeeded'
  and (component.scope is null or component.scope <> all(array['build', 'dev', 'test', 'excluded', 'external']));

insert into firmware_version_licences (workspace_id, firmware_version_id, key, component_count)
select sbom.workspace_id, sbom.firmware_version_id, md5(component.licenses::text || coalesce(sbom.format like 'Spdx%', false)), count(*)::int
from sboms as sbom
join sbom_components as component on component.workspace_id = sbom.workspace_id and component.sbom_id = sbom.id
where sbom.parsing_state = 'Succeeded'
  and (component.scope is null or component.scope <> all(array['build', 'dev', 'test', 'excluded', 'external']))
group by 1, 2, 3;
