-- What lists of a whole workspace are sorted by. It is kept in the transactions that change what versions hold and what
-- packages match (docs/design/findings.md).
alter table workspace_packages
  -- Firmware versions that hold the package now.
  add column version_count integer not null default 0,
  -- When a version first held it, and when the first of those that hold it now began to.
  add column held_since timestamptz(3),
  add column open_since timestamptz(3),
  -- As the newest version that holds it calls it; null when none does.
  add column component_name text collate "C",
  add column component_version text collate "C";
alter table workspace_packages set (fillfactor = 70);

update workspace_packages as owned
set version_count = held.version_count, held_since = held.held_since, open_since = held.open_since
from (
  select workspace_id, package_id, count(*) filter (where until is null) as version_count,
    min(since) filter (where until is null or until > since) as held_since,
    min(since) filter (where until is null) as open_since
  from firmware_version_packages group by workspace_id, package_id
) as held
where held.workspace_id = owned.workspace_id and held.package_id = owned.package_id;

update workspace_packages as owned
set component_name = newest.component_name, component_version = newest.component_version
from (
  select distinct on (workspace_id, package_id) workspace_id, package_id, component_name, component_version
  from firmware_version_packages where until is null
  order by workspace_id, package_id, firmware_version_id desc
) as newest
where newest.workspace_id = owned.workspace_id and newest.package_id = owned.package_id;

-- Matches look up the workspaces that hold their package.
create index workspace_packages_package on workspace_packages (package_id, workspace_id);

-- Findings of each vulnerability: one for each version and package. A row stays when its last finding ends.
create table workspace_vulnerabilities (
  workspace_id uuid not null,
  vulnerability_id text collate "C" not null,
  finding_count integer not null,
  primary key (workspace_id, vulnerability_id)
) with (fillfactor = 70);
insert into workspace_vulnerabilities (workspace_id, vulnerability_id, finding_count)
select owned.workspace_id, match.vulnerability_id, sum(owned.version_count)
from workspace_packages as owned
join package_matches as match on match.package_id = owned.package_id and match.until is null
where owned.version_count > 0
group by owned.workspace_id, match.vulnerability_id
order by owned.workspace_id, match.vulnerability_id;

-- The first time that a match held, where it is not the present one.
create index package_matches_ended on package_matches (package_id, vulnerability_id, since) where until is not null;
