-- An override that states a version is made for the declared versions that it first met, unless it is for any version.
alter table package_overrides
  -- '' stands for components without a declared version; null: not made for particular versions (yet).
  add column made_for text[],
  add column any_version boolean not null default false;

update package_overrides as override set made_for = met.versions
from (
  select component.workspace_id, component.override_id,
    array_agg(distinct coalesce(component.version, substring(component.purl from '@([^@?#/]+)(?:[?#]|$)'),
      component.built_from ->> 'version', '')) as versions
  from sbom_components as component
  where component.override_id is not null
  group by component.workspace_id, component.override_id
) as met
where met.workspace_id = override.workspace_id and met.override_id = override.id
  and override.version is not null and override.selected_version is null;
