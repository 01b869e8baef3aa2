-- A row is the newest request of the team that a device shall fetch its next key (decision 121).
create table device_key_rotations (
  workspace_id uuid not null,
  device_id text collate "C" not null,
  -- The command that asked, which may be taken back as a whole.
  batch_id uuid not null,
  asked_at timestamptz(3) not null,
  asked_by_email text,
  -- When the device was told first.
  told_at timestamptz(3),
  -- When it tried to fetch with a key that is not its own.
  refused_at timestamptz(3),
  -- When it last fetched a key.
  fetched_at timestamptz(3),
  -- When it used a fetched key first.
  done_at timestamptz(3),
  primary key (workspace_id, device_id),
  foreign key (workspace_id, device_id) references devices (workspace_id, id) on delete cascade
);
create index device_key_rotations_open on device_key_rotations (workspace_id, device_id) where done_at is null;
create index device_key_rotations_batch on device_key_rotations (workspace_id, batch_id);

-- Whether its device fetched it and did not use it yet. Its first use ends the older keys of the device.
alter table device_keys add column is_next boolean not null default false;

-- Devices do something, too: they fetch their keys.
alter table audit_log drop constraint audit_log_actor_type_check;
alter table audit_log add constraint audit_log_actor_type_check
  check (actor_type in ('User', 'ApiKey', 'Operator', 'System', 'Device'));
