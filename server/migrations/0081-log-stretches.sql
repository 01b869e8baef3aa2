-- Which texts the lines of an hour may have: a search skips stretches of lines that have none of them. A stretch is some
-- thousand lines in the order of (time, id); those of an hour have all its lines.
create table device_log_stretches (
  workspace_id uuid not null,
  -- The hour.
  time timestamptz(3) not null,
  -- Its oldest line.
  oldest_time timestamptz(3) not null,
  oldest_id uuid not null,
  line_count integer not null,
  -- A Bloom filter over their trigrams, see formats/trigram-filter.
  trigrams bytea not null,
  primary key (workspace_id, time, oldest_time, oldest_id)
) partition by range (time);
-- They do not become smaller.
alter table device_log_stretches alter column trigrams set storage external;
create table device_log_stretches_default partition of device_log_stretches default;

-- Hours with lines that no stretch has. Whoever stores lines marks their hours, whoever reads them into stretches deletes the mark.
create table device_log_unread_hours (
  workspace_id uuid not null references workspaces (id) on delete cascade,
  time timestamptz(3) not null,
  -- When they are read at the earliest.
  ready_at timestamptz(3) not null,
  primary key (workspace_id, time)
);

-- The hours that there are, one look-up each. Nodes of the version before mark no hours: they have an hour to end.
insert into device_log_unread_hours (workspace_id, time, ready_at)
with recursive hour (workspace_id, time) as (
  select workspace.id, date_trunc('hour', first.time, 'UTC')
  from workspaces as workspace
  cross join lateral (
    select line.time from device_logs as line where line.workspace_id = workspace.id order by line.time limit 1
  ) as first
  union all
  select hour.workspace_id, date_trunc('hour', next.time, 'UTC')
  from hour
  cross join lateral (
    select line.time from device_logs as line
    where line.workspace_id = hour.workspace_id and line.time >= hour.time + interval '1 hour' order by line.time limit 1
  ) as next
)
select workspace_id, time, now() + interval '1 hour' from hour;
