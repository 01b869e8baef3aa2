-- What devices measure and log. Points and lines are kept in a partition a day; a day no partition was made for yet goes to
-- the default one, and a worker moves it. They have no foreign keys: those of a deleted device are unreachable, as its
-- series are gone, and go with their day.

-- A metric of a device with its labels.
create table metric_series (
  workspace_id uuid not null,
  -- Eight bytes rather than a UUID, as every point holds one.
  id bigint generated always as identity,
  device_id text collate "C" not null,
  name text collate "C" not null,
  labels jsonb not null,
  label_names text[] collate "C" not null,
  -- SHA-256 of name and labels, which are too long for a key.
  digest bytea not null,
  created_at timestamptz(3) not null,
  -- When a node last looked it up; it does so at least once in two days for a series that receives points.
  seen_at timestamptz(3) not null,
  primary key (workspace_id, id),
  unique (workspace_id, device_id, digest),
  foreign key (workspace_id, device_id) references devices (workspace_id, id) on delete cascade
);
create index metric_series_name on metric_series (workspace_id, name, label_names, device_id);

create table metric_points (
  workspace_id uuid not null,
  series_id bigint not null,
  time timestamptz(3) not null,
  -- The value, where count is null; else what the device summed up.
  sum double precision not null,
  count bigint,
  min double precision,
  max double precision,
  -- What the device's clock said, where that was not believed and time is when the point was received.
  device_time timestamptz(3)
) partition by range (time);
create index metric_points_series on metric_points (workspace_id, series_id, time);
create table metric_points_default partition of metric_points default;

create table device_logs (
  workspace_id uuid not null,
  time timestamptz(3) not null,
  id uuid not null,
  device_id text collate "C" not null,
  severity text not null check (severity in ('Debug', 'Info', 'Warning', 'Error', 'Critical')),
  message text not null,
  labels jsonb not null,
  run_id text,
  device_time timestamptz(3),
  primary key (workspace_id, time, id)
) partition by range (time);
create index device_logs_device on device_logs (workspace_id, device_id, time, id);
create table device_logs_default partition of device_logs default;

-- By which what is sent twice is known. One row for each run of a device.
create table device_run_sequences (
  workspace_id uuid not null references workspaces (id) on delete cascade,
  device_id text collate "C" not null,
  run_id text collate "C" not null,
  -- Id of the series, or "logs" → the sequences seen as [gap, length - 1, gap, length - 1, …], the first gap from 0.
  -- Text, as it is only ever read and written as a whole.
  seen json not null,
  updated_at timestamptz(3) not null,
  primary key (workspace_id, device_id, run_id)
) with (fillfactor = 50);

-- Points that were dropped, as a device or workspace has no more than so many series.
create table metric_overflows (
  workspace_id uuid not null,
  device_id text collate "C" not null,
  points bigint not null,
  last_name text not null,
  last_at timestamptz(3) not null,
  primary key (workspace_id, device_id),
  foreign key (workspace_id, device_id) references devices (workspace_id, id) on delete cascade
);
