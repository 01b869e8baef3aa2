-- Points of hours that are over, packed: one row for a series and hour. A point is either in metric_points, or in its packed
-- hour and in the sums of that hour; a worker moves it in one transaction.
create table metric_packed_hours (
  workspace_id uuid not null,
  series_id bigint not null,
  time timestamptz(3) not null,
  -- See formats/metric-points.
  points bytea not null,
  primary key (workspace_id, series_id, time)
) partition by range (time);
-- They do not become smaller.
alter table metric_packed_hours alter column points set storage external;
-- Hours are written one after the other.
create index metric_packed_hours_time on metric_packed_hours using brin (time) with (pages_per_range = 16, autosummarize = on);
create table metric_packed_hours_default partition of metric_packed_hours default;

-- Its row is locked by whoever packs. What arrived before that time for hours before it was packed then.
create table metric_packing (
  workspace_id uuid primary key references workspaces (id) on delete cascade,
  packed_until timestamptz(3) not null
);

-- Points and their sums were kept side by side so far. The points are packed and added up anew, and read one by one until then.
truncate metric_hours;
truncate metric_late_hours;
-- These tables are for nodes of the version before, which are kept from adding up hours. A later migration drops them.
update metric_rollups set begun_at = '9999-01-01Z', closed_until = '9999-01-01Z', rolled_until = '9999-01-01Z';

-- Sums of hours are kept for longer than points.
alter table workspaces add column metric_hour_retention_days integer not null default 400;
alter table workspaces alter column metric_retention_days set default 30;
