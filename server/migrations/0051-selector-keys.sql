-- Hashes of the purl and the CPEs by which overrides select components: an override costs what it finds.
alter table sbom_components add column selector_keys integer[];
create index sbom_components_selector on sbom_components using gin (selector_keys);
-- Components that were read before the hashes were stored may meet any selector until their SBOMs are parsed again.
create index sbom_components_unhashed on sbom_components (workspace_id) where selector_keys is null;
