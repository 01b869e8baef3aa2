-- Autovacuum analyses a table once a tenth of it has changed. Beside large workspaces a small one is never a tenth: the planner would take
-- it for one row, and its lists for minutes. So these are analysed after a number of changes, however large they are.
do $$
declare
  name text;
begin
  foreach name in array '{sboms,sbom_components,sbom_graph_nodes,firmware_version_packages,firmware_version_counters,
    firmware_versions,finding_decisions,finding_timeline,workspace_packages,workspace_package_versions,workspace_matches,workspace_vulnerabilities,
    workspace_component_vulnerabilities,workspace_decisions,workspace_versions,devices,device_firmwares}'::text[]
  loop
    execute format('alter table %I set (autovacuum_analyze_scale_factor = 0, autovacuum_analyze_threshold = 5000)', name);
  end loop;
end $$;
