-- What counts as judged has changed with `packages.gap`: the counters of components follow.
update firmware_version_counters as counters
set judged_components = now.judged, silent_components = now.silent
from (
  select sbom.workspace_id, sbom.firmware_version_id,
    count(*) filter (where reason is null) as judged,
    count(*) filter (where reason !~ '^(scope |ignored|built from other components$)') as silent
  from sboms as sbom
  join sbom_components as component on component.workspace_id = sbom.workspace_id and component.sbom_id = sbom.id
  left join packages as package on package.id = component.package_id
  cross join lateral (select coalesce(component.not_matched_reason, package.gap) as reason) as told
  where sbom.parsing_state = 'Succeeded'
  group by sbom.workspace_id, sbom.firmware_version_id
) as now
where now.workspace_id = counters.workspace_id and now.firmware_version_id = counters.firmware_version_id;
