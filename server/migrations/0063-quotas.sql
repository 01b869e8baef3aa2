-- Limits of workspaces, and what they use of them. Usage moves in the transactions that use or free something. The counts of
-- stored files, devices and series take about a second for a million series.
create table workspace_limits (
  workspace_id uuid not null references workspaces (id) on delete cascade,
  quota text collate "C" not null,
  -- 9007199254740991: none. Without a row the default holds.
  most bigint not null check (most >= 0),
  primary key (workspace_id, quota)
);

-- What is there now: bytes, devices, series.
create table workspace_usage (
  workspace_id uuid not null references workspaces (id) on delete cascade,
  quota text collate "C" not null,
  used bigint not null,
  primary key (workspace_id, quota)
) with (fillfactor = 50);
insert into workspace_usage (workspace_id, quota, used)
select workspace_id, 'storedBytes', sum(size_bytes) from (
  select workspace_id, size_bytes from sboms
  union all select workspace_id, size_bytes from firmware_artifacts
) as file group by workspace_id;
insert into workspace_usage (workspace_id, quota, used)
select workspace_id, 'devices', count(*) from devices group by workspace_id;
insert into workspace_usage (workspace_id, quota, used)
select workspace_id, 'metricSeries', count(*) from metric_series group by workspace_id;

-- What happened in a minute, an hour or a day (UTC).
create table workspace_usage_windows (
  workspace_id uuid not null references workspaces (id) on delete cascade,
  quota text collate "C" not null,
  -- Who used it, where each one has the limit: the id of a key. Else ''.
  subject text collate "C" not null,
  began_at timestamptz(3) not null,
  used bigint not null,
  refused bigint not null,
  primary key (workspace_id, quota, subject, began_at)
) with (fillfactor = 50);
create index workspace_usage_windows_began on workspace_usage_windows (began_at);
