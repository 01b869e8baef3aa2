-- A row is a change of the desired configuration of many devices at once.
create table device_configuration_changes (
  workspace_id uuid not null references workspaces (id) on delete cascade,
  id uuid not null,
  -- What the request selected devices by; the devices themselves are in the next table.
  selection jsonb not null,
  -- null: devices lose their own value.
  log_severity text check (log_severity in ('Debug', 'Info', 'Warning', 'Error', 'Critical')),
  created_at timestamptz(3) not null,
  created_by_email text,
  state text not null check (state in ('InProgress', 'Completed', 'Failed')),
  finished_at timestamptz(3),
  total integer not null,
  changed integer not null default 0,
  failed integer not null default 0,
  -- Devices are changed in the order of their ids, batch by batch; null: none yet.
  done_through text collate "C",
  primary key (workspace_id, id)
);
create index device_configuration_changes_created on device_configuration_changes (workspace_id, created_at, id);

-- A row is a device that a change is for. It has no foreign key to devices: it also tells of those deleted since.
create table device_configuration_change_devices (
  workspace_id uuid not null,
  change_id uuid not null,
  device_id text collate "C" not null,
  -- The version of the device's desired configuration that holds the change; null: not yet, or the device was gone.
  version integer,
  primary key (workspace_id, change_id, device_id),
  foreign key (workspace_id, change_id) references device_configuration_changes (workspace_id, id) on delete cascade
);
