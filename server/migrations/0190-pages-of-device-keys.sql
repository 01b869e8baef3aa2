-- The list of keys in pages: those in force before those that ended, each the oldest first.
create index device_keys_in_force on device_keys (workspace_id, created_at, id) where revoked_at is null;
create index device_keys_ended on device_keys (workspace_id, created_at, id) where revoked_at is not null;
-- Keys of all devices are few among those of single ones.
create index device_keys_fleet on device_keys (workspace_id, created_at, id) where device_id is null;

-- How many devices were asked within the last minutes for the age of their keys.
create index device_key_rotations_scheduled on device_key_rotations (workspace_id, asked_at) where is_scheduled;
