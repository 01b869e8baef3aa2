-- Which devices report crashes, so that no crash is told apart from no report (decision 128).

-- Since when a device is known to report crashes: it says so, or it sent one. null: nothing says that it does.
alter table crash_devices add column reports_since timestamptz(3);
update crash_devices set reports_since = coalesce(
  (select min(hours.hour) from crash_device_hours as hours
    where hours.workspace_id = crash_devices.workspace_id and hours.device_id = crash_devices.device_id), hour);
create index crash_devices_reporting on crash_devices (workspace_id, device_id) where reports_since is not null;

-- A row says on which days (UTC) a device with a version was heard from while it reported crashes, and on which of them it crashed. Kept as
-- long as metrics are.
create table crash_device_days (
  workspace_id uuid not null,
  firmware_version_id uuid not null,
  device_id text collate "C" not null,
  days datemultirange not null,
  crashed_days datemultirange not null,
  primary key (workspace_id, firmware_version_id, device_id),
  foreign key (workspace_id, firmware_version_id) references firmware_versions (workspace_id, id) on delete cascade,
  foreign key (workspace_id, device_id) references devices (workspace_id, id) on delete cascade
);
create index crash_device_days_device on crash_device_days (workspace_id, device_id);

-- A row counts these devices of a version on a day. It stays: a version of which there is no row was never measured.
create table crash_version_days (
  workspace_id uuid not null,
  firmware_version_id uuid not null,
  day date not null,
  device_count integer not null,
  crashed_device_count integer not null,
  crash_count integer not null,
  primary key (workspace_id, firmware_version_id, day),
  foreign key (workspace_id, firmware_version_id) references firmware_versions (workspace_id, id) on delete cascade
);
