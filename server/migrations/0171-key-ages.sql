-- After how many days devices are asked to replace a key of their own; null: only when somebody asks.
alter table workspaces add column device_key_rotation_days integer
  check (device_key_rotation_days between 1 and 3650);
-- null: as the workspace has it; 0: only when somebody asks.
alter table deployment_cohorts add column key_rotation_days integer
  check (key_rotation_days between 0 and 3650);

-- Whether the device is asked for the age of its key, and not by somebody.
alter table device_key_rotations add column is_scheduled boolean not null default false;
