-- Sums of the points of an hour, so that long queries need not read each point. Of a workspace, the hours from begun_at to
-- rolled_until are there; a point that comes for one of them marks it late in the same transaction, and reads of that hour
-- go back to the points until a worker has made it anew.
create table metric_rollups (
  workspace_id uuid primary key references workspaces (id) on delete cascade,
  begun_at timestamptz(3) not null,
  -- From begun_at on, points before this are late. Moves only while no batch of the workspace is being stored.
  closed_until timestamptz(3) not null,
  -- Not beyond closed_until. Its row is locked by whoever makes hours.
  rolled_until timestamptz(3) not null
);

-- Partitioned and kept like the points.
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

-- One row for each batch and hour: a mark that is shared could be taken away by who has not seen the latest point yet.
create table metric_late_hours (
  workspace_id uuid not null,
  time timestamptz(3) not null,
  series_id bigint not null
);
create index metric_late_hours_time on metric_late_hours (workspace_id, time, series_id);
