-- A row is a document about a firmware version, as it was uploaded. Its file is in the blob store.
create table sboms (
  workspace_id uuid not null,
  id uuid not null,
  firmware_version_id uuid not null,
  file_name text not null,
  format text check (format in ('Spdx3JsonLd', 'Spdx2Json', 'Spdx2TagValue', 'CycloneDxJson', 'CycloneDxXml',
    'YoctoCveCheck', 'BuildrootShowInfo', 'BuildrootPkgStats')),
  spec_version text,
  -- How other documents refer to it: a BOM-Link or a namespace.
  namespace text,
  size_bytes bigint not null,
  sha256 text not null,
  has_external_references boolean not null default false,
  created_at timestamptz(3) not null,
  -- Counts the uploads of a firmware version; files of one upload share the number.
  upload_number integer not null default 0,
  -- What the upload asked to replace. That goes when the upload is read, in one transaction.
  replaces text check (replaces in ('serial', 'file', 'all')),
  -- It is read, but it counts only when all files of its upload are read. Its statements wait here until then.
  staged_statements jsonb,

  parsing_state text not null check (parsing_state in ('InProgress', 'Succeeded', 'Failed')),
  parsing_error text,
  warnings text[] not null default '{}',
  -- Why reading or matching has failed so far, from the second attempt on: attempts, isGivenUp, reason, failedAt.
  failure jsonb,
  component_count integer not null default 0,
  -- How many components are not matched, by reason.
  not_matched jsonb not null default '{}',
  -- By which parser and which rules of identity it was read: it is read again when they change.
  parser_version integer,
  identity_version integer,
  parsed_at timestamptz(3),
  vulnerabilities_parsed_at timestamptz(3),
  primary key (workspace_id, id),
  unique (workspace_id, firmware_version_id, sha256),
  foreign key (workspace_id, firmware_version_id) references firmware_versions (workspace_id, id) on delete cascade
) with (autovacuum_analyze_scale_factor = 0, autovacuum_analyze_threshold = 5000);
create index sboms_firmware_version on sboms (workspace_id, firmware_version_id, parsing_state);
-- Uploads and their turns ask how much of a workspace waits to be parsed.
create index sboms_waiting on sboms (workspace_id) include (size_bytes) where parsing_state = 'InProgress';
create index sboms_failing on sboms (workspace_id, firmware_version_id) where failure is not null;

-- A row is an SBOM that another one replaced (decision 50): the file is kept for as long as the workspace states.
create table replaced_sboms (
  workspace_id uuid not null,
  id uuid not null,
  firmware_version_id uuid not null,
  file_name text not null,
  format text,
  spec_version text,
  parsing_state text not null,
  component_count integer not null,
  size_bytes bigint not null,
  sha256 text not null,
  created_at timestamptz(3) not null,
  replaced_at timestamptz(3) not null,
  replaced_by uuid not null,
  primary key (workspace_id, id),
  foreign key (workspace_id, firmware_version_id) references firmware_versions (workspace_id, id) on delete cascade
);
create index replaced_sboms_firmware_version on replaced_sboms (workspace_id, firmware_version_id, replaced_at);
create index replaced_sboms_replaced on replaced_sboms (workspace_id, replaced_at);

-- A row is a component that an SBOM declares.
create table sbom_components (
  workspace_id uuid not null,
  sbom_id uuid not null,
  node integer not null,
  id uuid not null,
  -- How other documents refer to it: an id of an element.
  ref text,
  vendor text,
  package_name text not null,
  version text,
  purl text,
  cpes text[] not null,
  licenses text[] not null,
  hashes jsonb not null,
  supplier text,
  download_location text,
  -- Where its project is at home: repository and homepage.
  addresses text[] not null default '{}',
  scope text,
  -- The name of the source package or recipe it is built from, where one is stated.
  source_name text,
  -- The identifiers of what it is built from, where they count as its own.
  built_from jsonb,
  override_id uuid,
  -- Hashes of the purl and the CPEs by which overrides select it: an override costs what it finds.
  selector_keys integer[] not null default '{}',
  package_id uuid references packages (id),
  not_matched_reason text,
  primary key (workspace_id, sbom_id, node),
  foreign key (workspace_id, sbom_id) references sboms (workspace_id, id) on delete cascade
) with (autovacuum_analyze_scale_factor = 0, autovacuum_analyze_threshold = 5000);
create index sbom_components_package on sbom_components (workspace_id, package_id);
create index sbom_components_name on sbom_components (workspace_id, package_name collate "C", sbom_id, node);
-- Those for which nothing is matched, by what they declare.
create index sbom_components_purl on sbom_components (workspace_id, purl)
  where package_id is null and purl is not null;
create index sbom_components_override on sbom_components (workspace_id, override_id) where override_id is not null;
create index sbom_components_selector on sbom_components using gin (selector_keys);

-- A row is a node of the dependency graph of an SBOM: its components first, then nodes of other SBOMs that lie on their paths.
create table sbom_graph_nodes (
  workspace_id uuid not null,
  sbom_id uuid not null,
  node integer not null,
  label text not null,
  parents integer[] not null,
  -- The next node on a shortest path to the root, and how far that is.
  next integer,
  distance integer,
  primary key (workspace_id, sbom_id, node),
  foreign key (workspace_id, sbom_id) references sboms (workspace_id, id) on delete cascade
) with (autovacuum_analyze_scale_factor = 0, autovacuum_analyze_threshold = 5000);

-- A row is a list of the source files that components were compiled from. Where no file that holds a vulnerability is among them, the
-- vulnerable code is not present.
create table source_file_lists (
  workspace_id uuid not null,
  sbom_id uuid not null,
  id uuid not null,
  -- The components it is of. A document parsed again may give a node to another component, so that an uploaded list counts only while
  -- the component has the id it was uploaded for.
  nodes integer[] not null,
  -- null: the SBOM itself lists the files.
  component_id uuid,
  files text[] not null,
  -- What they are compared by: last names of files and folders.
  keys text[] not null,
  created_at timestamptz(3) not null,
  primary key (workspace_id, sbom_id, id),
  foreign key (workspace_id, sbom_id) references sboms (workspace_id, id) on delete cascade
);
create unique index source_file_lists_component on source_file_lists (workspace_id, sbom_id, component_id)
  where component_id is not null;
