create table sboms (
  workspace_id uuid not null,
  id uuid not null,
  firmware_version_id uuid not null,
  file_name text not null,
  format text check (format in ('Spdx3JsonLd', 'Spdx2Json', 'Spdx2TagValue', 'CycloneDxJson', 'CycloneDxXml')),
  spec_version text,
  parsing_state text not null check (parsing_state in ('InProgress', 'Succeeded', 'Failed')),
  parsing_error text,
  warnings text[] not null default '{}',
  component_count integer not null default 0,
  size_bytes bigint not null,
  sha256 text not null,
  has_external_references boolean not null default false,
  parser_version integer,
  created_at timestamptz(3) not null,
  parsed_at timestamptz(3),
  vulnerabilities_parsed_at timestamptz(3),
  primary key (workspace_id, id),
  unique (workspace_id, firmware_version_id, sha256),
  foreign key (workspace_id, firmware_version_id) references firmware_versions (workspace_id, id) on delete cascade
);

create table sbom_components (
  workspace_id uuid not null,
  sbom_id uuid not null,
  node integer not null,
  id uuid not null,
  vendor text,
  package_name text not null,
  version text,
  purl text,
  cpes text[] not null,
  licenses text[] not null,
  hashes jsonb not null,
  supplier text,
  download_location text,
  scope text,
  package_id uuid references packages (id),
  -- The name of the source package or recipe it is built from, where one is stated.
  source_name text,
  not_matched_reason text,
  primary key (workspace_id, sbom_id, node),
  foreign key (workspace_id, sbom_id) references sboms (workspace_id, id) on delete cascade
);
create index sbom_components_package on sbom_components (workspace_id, package_id);

-- The dependency graph of an SBOM: its components first, then nodes of other SBOMs that lie on their paths.
create table sbom_graph_nodes (
  workspace_id uuid not null,
  sbom_id uuid not null,
  node integer not null,
  label text not null,
  parents integer[] not null,
  next integer,
  distance integer,
  primary key (workspace_id, sbom_id, node),
  foreign key (workspace_id, sbom_id) references sboms (workspace_id, id) on delete cascade
);
