-- Whether any device reports a hash, whatever version it names.
create index device_firmwares_hash on device_firmwares (workspace_id, image_hash) where image_hash is not null;
