-- A row counts the devices that report a firmware version, by whether they are connected and the hour they were last seen in (hours
-- since 1970). It moves in the transaction that changes a device.
create table firmware_version_device_counts (
  workspace_id uuid not null,
  firmware_version_id uuid not null,
  connected boolean not null,
  seen_hour integer not null,
  devices integer not null,
  primary key (workspace_id, firmware_version_id, connected, seen_hour),
  foreign key (workspace_id, firmware_version_id) references firmware_versions (workspace_id, id) on delete cascade
) with (fillfactor = 50);

-- A row counts the devices that run exactly these firmware versions, of those that are known. A device that runs two of the versions a
-- vulnerability is in is counted once by it, where the sum over versions would count it twice.
create table firmware_set_device_counts (
  workspace_id uuid not null references workspaces (id) on delete cascade,
  -- In order; at least one.
  firmware_version_ids uuid[] not null,
  devices integer not null,
  primary key (workspace_id, firmware_version_ids)
) with (fillfactor = 50);

-- A row counts the devices that ran a set of firmware versions at the end of a day (UTC), with the worst that was known of it then. The
-- last row of a day stands for it; the counts of today are read from firmware_set_device_counts. It is written every hour, by no report
-- of a device.
create table firmware_set_daily_devices (
  workspace_id uuid not null references workspaces (id) on delete cascade,
  day date not null,
  -- In order; at least one.
  firmware_version_ids uuid[] not null,
  devices integer not null,
  -- The worst severity of their active findings; Clean: none; NotJudged: none, and of one of them nothing is known.
  worst text not null check (worst in ('Critical', 'High', 'Medium', 'Low', 'None', 'Unknown', 'Clean', 'NotJudged')),
  exploited boolean not null,
  primary key (workspace_id, day, firmware_version_ids)
);
