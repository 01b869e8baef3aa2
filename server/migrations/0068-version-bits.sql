-- Which firmware versions hold each package now, as bits. So lists count the versions and devices of many packages without
-- reading what each version holds (docs/design/findings.md). It takes about 5 seconds for 3 million packages of versions.

-- The versions of a workspace by number, from 0.
create table workspace_versions (
  workspace_id uuid not null,
  firmware_version_id uuid not null,
  number integer not null,
  primary key (workspace_id, firmware_version_id),
  unique (workspace_id, number)
);
insert into workspace_versions (workspace_id, firmware_version_id, number)
select version.workspace_id, version.id,
  row_number() over (partition by version.workspace_id order by version.firmware_id, version.created_at, version.id) - 1
from firmware_versions as version
where exists (
  select from firmware_version_packages as fact
  where fact.workspace_id = version.workspace_id and fact.firmware_version_id = version.id and fact.until is null)
order by version.workspace_id, version.id;

-- Bit `number % 32` of block `number / 32`.
create table workspace_package_versions (
  workspace_id uuid not null,
  package_id uuid not null,
  block integer not null,
  versions integer not null,
  primary key (workspace_id, package_id, block)
) with (fillfactor = 80);
insert into workspace_package_versions (workspace_id, package_id, block, versions)
select fact.workspace_id, fact.package_id, numbered.number / 32, bit_or(1 << numbered.number % 32)
from firmware_version_packages as fact
join workspace_versions as numbered
  on numbered.workspace_id = fact.workspace_id and numbered.firmware_version_id = fact.firmware_version_id
where fact.until is null
group by 1, 2, 3 order by 1, 2, 3;

-- A schedule has devices counted, so that no request asks for it.
alter table workspace_kept_locks drop column devices_asked_at;
