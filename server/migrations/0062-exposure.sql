-- How many devices ran which set of firmware versions at the end of each day (UTC), and the worst that was known of it then.
-- The last row of a day stands for it; the counts of today are read from firmware_set_device_counts. Written every hour,
-- by no report of a device.
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
