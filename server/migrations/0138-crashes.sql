-- Crashes that devices report (decision 117).

-- A row is a kind of crash as people see it: the same reason, and the same functions at the top of the stack; or, while they are not known,
-- the same addresses of the same build.
create table crash_groups (
  workspace_id uuid not null references workspaces (id) on delete cascade,
  id uuid not null,
  -- null: it is not known which firmware crashed.
  firmware_id uuid,
  signature text collate "C" not null,
  reason text not null,
  -- What the signature is made of: names of functions, or addresses.
  frames text[] not null,
  -- The build that the addresses belong to; null: the frames have names, or there are none.
  build_id text collate "C",
  created_at timestamptz(3) not null,
  -- Closed: mended in this version. It opens again by itself when this version or a later one crashes alike.
  closed_at timestamptz(3),
  closed_by_email text,
  fixed_in_version_id uuid,
  fixed_in text,
  -- When it came back after it had been closed.
  reopened_at timestamptz(3),
  primary key (workspace_id, id),
  unique (workspace_id, signature),
  foreign key (workspace_id, firmware_id) references firmwares (workspace_id, id) on delete cascade,
  foreign key (workspace_id, fixed_in_version_id) references firmware_versions (workspace_id, id)
    on delete set null (fixed_in_version_id)
);
create index crash_groups_firmware on crash_groups (workspace_id, firmware_id);

-- A row is a stack as devices report it: reason, build and the top addresses. Its group follows from it and from the lines of the build, so that
-- other lines move it to another group.
create table crash_stacks (
  workspace_id uuid not null,
  id uuid not null,
  signature text collate "C" not null,
  firmware_id uuid,
  reason text not null,
  build_id text collate "C",
  -- The top addresses as lines have them; null: outside of the image.
  addresses text[] not null,
  group_id uuid not null,
  primary key (workspace_id, id),
  unique (workspace_id, signature),
  foreign key (workspace_id, group_id) references crash_groups (workspace_id, id) on delete cascade,
  foreign key (workspace_id, firmware_id) references firmwares (workspace_id, id) on delete cascade
);
create index crash_stacks_group on crash_stacks (workspace_id, group_id);
create index crash_stacks_build on crash_stacks (workspace_id, build_id) where build_id is not null;

-- A row counts the crashes of a version with a stack, since ever. Version null: it is not known what the device ran.
create table crash_versions (
  workspace_id uuid not null,
  stack_id uuid not null,
  firmware_version_id uuid,
  crash_count bigint not null,
  first_seen_at timestamptz(3) not null,
  last_seen_at timestamptz(3) not null,
  -- In the order of receipt, not of the clocks of devices: what a window of an alert rule covers.
  first_received_at timestamptz(3) not null,
  unique nulls not distinct (workspace_id, stack_id, firmware_version_id),
  foreign key (workspace_id, stack_id) references crash_stacks (workspace_id, id) on delete cascade,
  foreign key (workspace_id, firmware_version_id) references firmware_versions (workspace_id, id) on delete cascade
);
create index crash_versions_version on crash_versions (workspace_id, firmware_version_id, first_received_at);

-- A row counts the crashes of a device on a day (UTC). Kept as long as metrics are.
create table crash_counts (
  workspace_id uuid not null,
  stack_id uuid not null,
  firmware_version_id uuid,
  device_id text collate "C" not null,
  day date not null,
  crash_count integer not null,
  last_at timestamptz(3) not null,
  unique nulls not distinct (workspace_id, stack_id, firmware_version_id, device_id, day),
  foreign key (workspace_id, stack_id) references crash_stacks (workspace_id, id) on delete cascade,
  foreign key (workspace_id, firmware_version_id) references firmware_versions (workspace_id, id) on delete cascade,
  foreign key (workspace_id, device_id) references devices (workspace_id, id) on delete cascade
);
create index crash_counts_device on crash_counts (workspace_id, device_id);
create index crash_counts_version on crash_counts (workspace_id, firmware_version_id, last_at);
create index crash_counts_day on crash_counts (workspace_id, day);

-- A row is one crash: the newest ones of each device and stack. Kept as long as log lines are.
create table crash_reports (
  workspace_id uuid not null,
  id uuid not null,
  stack_id uuid not null,
  device_id text collate "C" not null,
  time timestamptz(3) not null,
  -- The time by the clock of the device, where that is not plausible.
  device_time timestamptz(3),
  firmware_version_id uuid,
  build_id text collate "C",
  run_id text,
  thread text,
  -- [{"kind": "ProgramCounter", "address": "0x800abcd", "lookup": "0x800abcd"}], as reported; lookup null: outside of the image.
  frames jsonb not null,
  primary key (workspace_id, id),
  foreign key (workspace_id, stack_id) references crash_stacks (workspace_id, id) on delete cascade,
  foreign key (workspace_id, firmware_version_id) references firmware_versions (workspace_id, id)
    on delete set null (firmware_version_id),
  foreign key (workspace_id, device_id) references devices (workspace_id, id) on delete cascade
);
create index crash_reports_device on crash_reports (workspace_id, device_id, stack_id, time);
create index crash_reports_stack on crash_reports (workspace_id, stack_id, time);
create index crash_reports_build on crash_reports (workspace_id, build_id) where build_id is not null;
create index crash_reports_time on crash_reports (workspace_id, time);

-- A row is what the intake remembers of a device that crashed. Its lock lets reports of a device in one after the other.
create table crash_devices (
  workspace_id uuid not null,
  device_id text collate "C" not null,
  -- The newest runs with the sequences that were seen: [{"runId": "boot-1", "seen": [0, 3]}].
  runs jsonb not null default '[]',
  -- How many crashes were kept of this hour.
  hour timestamptz(3) not null,
  taken integer not null default 0,
  primary key (workspace_id, device_id),
  foreign key (workspace_id, device_id) references devices (workspace_id, id) on delete cascade
);

-- A row counts what a device sent in an hour, by the time of receipt: also what was not kept. Kept as long as metrics are.
create table crash_device_hours (
  workspace_id uuid not null,
  device_id text collate "C" not null,
  hour timestamptz(3) not null,
  kept_count integer not null,
  -- Beyond what is kept of a device in an hour, or beyond the number of stacks of the workspace.
  dropped_count integer not null,
  malformed_count integer not null,
  last_fault text,
  last_at timestamptz(3) not null,
  primary key (workspace_id, device_id, hour),
  foreign key (workspace_id, device_id) references devices (workspace_id, id) on delete cascade
);
create index crash_device_hours_hour on crash_device_hours (workspace_id, hour);

-- A row is a build that crashes or lines name: a build id, or slug@version where a crash names none. Its lock keeps crashes and new lines apart.
create table crash_builds (
  workspace_id uuid not null references workspaces (id) on delete cascade,
  build_id text collate "C" not null,
  created_at timestamptz(3) not null,
  lines_at timestamptz(3),
  lines_by_email text,
  primary key (workspace_id, build_id)
);

-- A row says where in the source an address of a build lies: [{"function": "main", "file": "main.c", "line": 12}], the innermost inlined function
-- first. Without any: nobody knows.
create table crash_lines (
  workspace_id uuid not null,
  build_id text collate "C" not null,
  address text collate "C" not null,
  frames jsonb not null,
  primary key (workspace_id, build_id, address),
  foreign key (workspace_id, build_id) references crash_builds (workspace_id, build_id) on delete cascade
);

-- The last crash that a hawkBit client named in its attributes, as a hash: clients send all attributes again and again.
alter table ddi_devices add column crash_hash text;
