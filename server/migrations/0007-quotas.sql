-- A row is a limit that an operator set for a workspace. Without a row the default holds.
create table workspace_limits (
  workspace_id uuid not null references workspaces (id) on delete cascade,
  quota text collate "C" not null,
  -- 9007199254740991: none.
  most bigint not null check (most >= 0),
  primary key (workspace_id, quota)
);

-- A row is what a workspace uses of a quota now: bytes, devices, series. It changes in the transactions that use or free something.
create table workspace_usage (
  workspace_id uuid not null references workspaces (id) on delete cascade,
  quota text collate "C" not null,
  used bigint not null,
  primary key (workspace_id, quota)
) with (fillfactor = 50);

-- A row is what was used, and refused, in a minute, an hour or a day (UTC).
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
