-- Devices that were deleted and whose values of metrics and log lines are still to be deleted; a worker does it.
create table deleted_devices (
  workspace_id uuid not null references workspaces (id) on delete cascade,
  device_id text collate "C" not null,
  deleted_at timestamptz(3) not null,
  -- The series it had.
  series_ids bigint[] not null,
  -- Its lines have smaller ids than those of a device that gets its id afterwards.
  first_later_line uuid not null,
  primary key (workspace_id, device_id)
);
