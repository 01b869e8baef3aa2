-- Lists of devices by when they were last seen: those never seen come before all others.
drop index devices_last_seen;
create index devices_last_seen on devices (workspace_id, (coalesce(last_seen_at, '-infinity'::timestamptz)), id);

-- How many devices run exactly these firmware versions, of those that are known. A device that runs two of the versions
-- a vulnerability is in is counted once by it, where the sum over versions would count it twice.
create table firmware_set_device_counts (
  workspace_id uuid not null references workspaces (id) on delete cascade,
  -- In order; at least one.
  firmware_version_ids uuid[] not null,
  devices integer not null,
  primary key (workspace_id, firmware_version_ids)
) with (fillfactor = 50);
