-- What lists of crashes read of a group, so that they need not count the crashes of all (decision 135). Kept in the transactions that
-- change what is counted; `admin doctor` compares.

create table crash_group_totals (
  workspace_id uuid not null,
  group_id uuid not null,
  -- Since ever, of all versions.
  crash_count bigint not null,
  -- Within the retention of metrics.
  device_count integer not null,
  first_seen_at timestamptz(3) not null,
  last_seen_at timestamptz(3) not null,
  primary key (workspace_id, group_id),
  foreign key (workspace_id, group_id) references crash_groups (workspace_id, id) on delete cascade
);
insert into crash_group_totals (workspace_id, group_id, crash_count, device_count, first_seen_at, last_seen_at)
select stack.workspace_id, stack.group_id, sum(counted.crash_count), 0, min(counted.first_seen_at), max(counted.last_seen_at)
from crash_stacks as stack
join crash_versions as counted on counted.workspace_id = stack.workspace_id and counted.stack_id = stack.id
group by stack.workspace_id, stack.group_id;
update crash_group_totals as totals set device_count = reach.device_count
from (
  select stack.workspace_id, stack.group_id, count(distinct daily.device_id)::int as device_count
  from crash_stacks as stack
  join crash_counts as daily on daily.workspace_id = stack.workspace_id and daily.stack_id = stack.id
  group by stack.workspace_id, stack.group_id) as reach
where totals.workspace_id = reach.workspace_id and totals.group_id = reach.group_id;

-- By day (UTC). Kept as long as metrics are.
create table crash_group_days (
  workspace_id uuid not null,
  group_id uuid not null,
  day date not null,
  crash_count integer not null,
  device_count integer not null,
  primary key (workspace_id, group_id, day),
  foreign key (workspace_id, group_id) references crash_groups (workspace_id, id) on delete cascade
);
insert into crash_group_days (workspace_id, group_id, day, crash_count, device_count)
select stack.workspace_id, stack.group_id, daily.day, sum(daily.crash_count), count(distinct daily.device_id)
from crash_stacks as stack
join crash_counts as daily on daily.workspace_id = stack.workspace_id and daily.stack_id = stack.id
group by stack.workspace_id, stack.group_id, daily.day;

-- Also whether a device crashed alike before.
drop index crash_counts_device;
create index crash_counts_device on crash_counts (workspace_id, device_id, stack_id);
