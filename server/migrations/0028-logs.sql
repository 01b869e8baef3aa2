-- A row is a log line of a device. Lines are kept in a partition a day, like points of metrics.
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

-- A row says which texts a stretch of lines may have: a search skips stretches that have none of its own (decision 38). A stretch is
-- some thousand lines in the order of (time, id); those of an hour have all its lines.
create table device_log_stretches (
  workspace_id uuid not null,
  -- The hour.
  time timestamptz(3) not null,
  -- Its oldest line.
  oldest_time timestamptz(3) not null,
  oldest_id uuid not null,
  line_count integer not null,
  -- A Bloom filter over their trigrams, see formats/trigram-filter. It does not become smaller by compressing it.
  trigrams bytea storage external not null,
  primary key (workspace_id, time, oldest_time, oldest_id)
) partition by range (time);
create table device_log_stretches_default partition of device_log_stretches default;

-- A row is an hour with lines that no stretch has. Whoever stores lines marks their hours, whoever reads them into stretches deletes
-- the mark.
create table device_log_unread_hours (
  workspace_id uuid not null references workspaces (id) on delete cascade,
  time timestamptz(3) not null,
  -- When they are read at the earliest.
  ready_at timestamptz(3) not null,
  primary key (workspace_id, time)
);
