-- What lists of a whole workspace read. It is kept in the transactions that change inventories, matches and decisions
-- (docs/design/findings.md). `states` has a bit for each confidence of a match, with each assessment, ignored or not: those of the
-- findings that hold now. Bit 12 × confidence + 2 × assessment + ignored.

-- A row is locked by whoever changes decisions or inventories of the workspace, so that what is kept of it changes one by one. It also
-- says what of the copies below is how old.
create table workspace_kept_locks (
  workspace_id uuid primary key,
  -- What devices ran when they were counted, and when that was.
  devices_counted text,
  devices_counted_at timestamptz(3),
  -- When all names were last compared.
  names_copied_at timestamptz(3),
  -- `vulnerability_sources.score_revision` as of which scores were copied.
  score_revision integer
);

-- A row is a package that the workspace holds or held.
create table workspace_packages (
  workspace_id uuid not null,
  package_id uuid not null,
  -- Firmware versions that hold it now.
  version_count integer not null default 0,
  -- When a version first held it, and when the first of those that hold it now began to.
  held_since timestamptz(3),
  open_since timestamptz(3),
  -- As the newest version that holds it calls it; null: none does.
  component_name text collate "C",
  component_version text collate "C",
  -- How many digits the number of devices has that run it, as last counted; 0: none.
  device_magnitude smallint not null default 0,
  primary key (workspace_id, package_id)
) with (fillfactor = 70, autovacuum_analyze_scale_factor = 0, autovacuum_analyze_threshold = 5000);
-- Matches look up the workspaces that hold their package.
create index workspace_packages_package on workspace_packages (package_id, workspace_id);

-- A row is a row of the list over a workspace: an open match of a package that a version holds now.
create table workspace_matches (
  workspace_id uuid not null,
  vulnerability_id text collate "C" not null,
  package_id uuid not null,
  -- When it was detected first.
  detected_at timestamptz(3) not null,
  states bigint not null default 0,
  -- As the newest version that holds the package calls it.
  component_name text collate "C" not null,
  -- 1 for Unknown to 6 for Critical.
  severity_rank smallint not null,
  -- A public list names the vulnerability as exploited.
  is_exploited boolean not null,
  -- A copy of that of the package.
  device_magnitude smallint not null default 0,
  primary key (workspace_id, vulnerability_id, package_id) include (detected_at)
) with (autovacuum_analyze_scale_factor = 0, autovacuum_analyze_threshold = 5000);
create index workspace_matches_detected on workspace_matches (workspace_id, detected_at, vulnerability_id, package_id);
-- Matches are read by package too, in the order of their vulnerabilities.
create index workspace_matches_package on workspace_matches (workspace_id, package_id, vulnerability_id);

-- A row is a vulnerability of a component, which is what packages of one name are: what its matches have together, in whatever
-- versions of the component.
create table workspace_component_vulnerabilities (
  workspace_id uuid not null,
  component_name text collate "C" not null,
  vulnerability_id text collate "C" not null,
  -- A copy of the vulnerability's name.
  name text collate "C" not null default '',
  severity_rank smallint not null,
  score real,
  -- A copy of the EPSS score; -1: there is none.
  epss_score real not null default -1,
  is_exploited boolean not null,
  -- The most of the packages that have the vulnerability.
  device_magnitude smallint not null,
  -- When the first and when the last of the matches was detected.
  first_detected_at timestamptz(3) not null,
  last_detected_at timestamptz(3) not null,
  -- The states of all matches together.
  states bigint not null,
  -- A finding is one match in one firmware version.
  finding_count integer not null,
  primary key (workspace_id, component_name, vulnerability_id)
) with (fillfactor = 80, autovacuum_analyze_scale_factor = 0, autovacuum_analyze_threshold = 5000);
-- The steps of the order by risk.
create index workspace_component_vulnerabilities_risk
  on workspace_component_vulnerabilities (workspace_id, is_exploited, severity_rank, device_magnitude);

-- A row counts the findings of a match that hold now and are decided so.
create table workspace_decisions (
  workspace_id uuid not null,
  vulnerability_id text collate "C" not null,
  package_id uuid not null,
  assessment text collate "C" not null,
  ignored boolean not null,
  finding_count integer not null,
  -- What versions hold changes package by package.
  primary key (workspace_id, package_id, vulnerability_id, assessment, ignored)
) with (fillfactor = 90, autovacuum_analyze_scale_factor = 0, autovacuum_analyze_threshold = 5000);
create index workspace_decisions_state on workspace_decisions (workspace_id, assessment, ignored, vulnerability_id, package_id);

-- A row is a firmware version with its number in the workspace, from 0.
create table workspace_versions (
  workspace_id uuid not null,
  firmware_version_id uuid not null,
  number integer not null,
  primary key (workspace_id, firmware_version_id),
  unique (workspace_id, number)
) with (autovacuum_analyze_scale_factor = 0, autovacuum_analyze_threshold = 5000);

-- A row says which of 32 firmware versions hold the package now: bit `number % 32` of block `number / 32`. So lists count versions and
-- devices of many packages without reading what each version holds.
create table workspace_package_versions (
  workspace_id uuid not null,
  package_id uuid not null,
  block integer not null,
  versions integer not null,
  primary key (workspace_id, package_id, block)
) with (fillfactor = 80, autovacuum_analyze_scale_factor = 0, autovacuum_analyze_threshold = 5000);
