-- A row is the packed sums of the hours of a series in a day that is over. The sums of an hour are either in metric_hours or in
-- the packed day; a worker moves them in one transaction.
create table metric_packed_days (
  workspace_id uuid not null,
  series_id bigint not null,
  -- When the day begins (UTC).
  time timestamptz(3) not null,
  -- See formats/metric-points/packed-sums. They do not become smaller by compressing them.
  sums bytea storage external not null,
  primary key (workspace_id, series_id, time)
) partition by range (time);
create table metric_packed_days_default partition of metric_packed_days default;
