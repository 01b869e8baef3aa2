-- Points, and what is made of them, are kept in a partition a day. Rows of a day for which no partition was made yet go to the default
-- one, and a worker moves them. They have no foreign keys: those of a deleted device are unreachable, as its series are gone.

-- A row is a metric of a device with its labels.
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

-- A row is a point that is not packed yet.
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
-- Windows of a short time are read for many series at once.
create index metric_points_time on metric_points (workspace_id, time);
create table metric_points_default partition of metric_points default;

-- A row is the packed points of a series in an hour that is over. A point is either in metric_points, or in its packed hour and in the
-- sums of that hour; a worker moves it in one transaction.
create table metric_packed_hours (
  workspace_id uuid not null,
  series_id bigint not null,
  time timestamptz(3) not null,
  -- See formats/metric-points. They do not become smaller by compressing them.
  points bytea storage external not null,
  primary key (workspace_id, series_id, time)
) partition by range (time);
-- Hours are written one after the other.
create index metric_packed_hours_time on metric_packed_hours using brin (time) with (pages_per_range = 16, autosummarize = on);
create table metric_packed_hours_default partition of metric_packed_hours default;

-- A row is the sums of a series over an hour, so that long queries need not read each point.
create table metric_hours (
  workspace_id uuid not null,
  series_id bigint not null,
  time timestamptz(3) not null,
  -- null: some value is so large or so small that only the points themselves can be added up.
  sum double precision,
  count double precision not null,
  min double precision not null,
  max double precision not null,
  last double precision,
  last_at timestamptz(3) not null,
  primary key (workspace_id, series_id, time)
) partition by range (time);
create table metric_hours_default partition of metric_hours default;

-- A row is locked by whoever packs points of the workspace. What arrived before that time for hours before it was packed then.
create table metric_packing (
  workspace_id uuid primary key references workspaces (id) on delete cascade,
  packed_until timestamptz(3) not null
);

-- Of arrays [time, value] the one with the newest time, and of several the largest, as arrays compare element by element. Unlike
-- max() it has a type that is known, so that several nodes each take theirs and the newest of these is chosen (Citus).
create aggregate newest (float8[]) (
  sfunc = array_larger, stype = float8[], combinefunc = array_larger, parallel = safe
);

-- A row counts points of a device that were dropped, as a device or workspace has no more than so many series.
create table metric_overflows (
  workspace_id uuid not null,
  device_id text collate "C" not null,
  points bigint not null,
  last_name text not null,
  last_at timestamptz(3) not null,
  primary key (workspace_id, device_id),
  foreign key (workspace_id, device_id) references devices (workspace_id, id) on delete cascade
);

-- A row is a run of a device, with what it sent: so what is sent twice is known.
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
