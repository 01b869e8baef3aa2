-- All components of a workspace by name, and those nothing is matched for by what they declare.
create index sbom_components_name on sbom_components (workspace_id, package_name collate "C", sbom_id, node);
create index sbom_components_purl on sbom_components (workspace_id, purl)
  where package_id is null and purl is not null;
