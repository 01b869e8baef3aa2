-- Findings are derived: firmware version × package × open match. Stored are the facts, with the times they held (docs/design/findings.md).

-- A row says that the firmware version contains the package, and when that held.
create table firmware_version_packages (
  workspace_id uuid not null,
  firmware_version_id uuid not null,
  package_id uuid not null references packages (id),
  since timestamptz(3) not null,
  until timestamptz(3),
  cause text not null,
  ended_cause text,
  -- What the package is called here: its source name, else its shortest member's name, with that member's texts.
  component_name text collate "C" not null,
  component_version text collate "C",
  component_vendor text,
  component_purl text,
  component_cpe text,
  primary key (workspace_id, firmware_version_id, package_id, since),
  foreign key (workspace_id, firmware_version_id) references firmware_versions (workspace_id, id) on delete cascade
) with (autovacuum_analyze_scale_factor = 0, autovacuum_analyze_threshold = 5000);
create unique index firmware_version_packages_open
  on firmware_version_packages (workspace_id, firmware_version_id, package_id) where until is null;
-- Which firmware versions hold a package, the newest ones first, and since when: read without the rows.
create index firmware_version_packages_package
  on firmware_version_packages (package_id, workspace_id, firmware_version_id) include (since, until);
create index firmware_version_packages_since on firmware_version_packages (workspace_id, since);

-- A row says that in this firmware version a package is identified otherwise by now: ids of its findings lead to the successor's.
create table firmware_version_package_successors (
  workspace_id uuid not null,
  firmware_version_id uuid not null,
  package_id uuid not null,
  successor_id uuid not null,
  created_at timestamptz(3) not null,
  primary key (workspace_id, firmware_version_id, package_id, successor_id),
  foreign key (workspace_id, firmware_version_id) references firmware_versions (workspace_id, id) on delete cascade
);
